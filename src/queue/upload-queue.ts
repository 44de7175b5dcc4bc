import { BlobError } from '../protocol/errors.js';
import type { StoredFile } from '../protocol/types.js';
import { Gate } from './pause-controller.js';
import type { GateChange } from './pause-controller.js';
import { Guard } from './unload-guard.js';
import { Item } from './queue-item.js';
import { Lanes } from './upload-scheduler.js';
import { narrow, NO_LIMITS } from './tokens/token-limits.js';
import type { TokenLimits } from './tokens/token-limits.js';
import { RETRY } from './retry-delay.js';
import { judge, judgeAgain, NOTHING } from './file-rules.js';
import { Shipping } from './transport/request-sender.js';
import { Store } from './queue-state.js';
import { TokenSupply } from './tokens/token-supply.js';
import type { Token } from './tokens/read-token.js';
import { inSlices } from './tasks.js';
import type { Chosen, Limits, QueueEventMap, QueueOptions, Totals, UploadItem, UploadQueue } from './types.js';

const MiB = 1024 * 1024;

const DEFAULTS: QueueOptions = {
  endpoint: '',
  problem: null,
  tokenProvider: () => Promise.reject(new BlobError('TOKEN_SUPPLY_FAILED', 'There is no token provider.')),
  transport: null,
  limits: NO_LIMITS,
  concurrency: 6,
  manual: false,
  resumableFrom: 16 * MiB,
  batchUpTo: 256 * 1024,
  verify: false,
  sniff: false,
  guard: true,
  stallAfter: 30_000,
  retry: RETRY,
};

class Queue implements UploadQueue {
  #options: QueueOptions;
  #learned: TokenLimits = NO_LIMITS;
  #limits: Limits;
  #paused = false;
  /** A manual queue goes from `start()` until nothing is left to send. */
  #started = false;
  /** Files of a manual queue that nobody started yet. */
  readonly #asleep = new Set<Item>();
  readonly #guard = new Guard();
  #judging = new AbortController();
  #count = 0;
  readonly #store = new Store();
  readonly #gate = new Gate((what) => this.#turned(what));
  readonly #supply: TokenSupply;
  readonly #shipping: Shipping;
  readonly #lanes: Lanes;

  constructor(options: Partial<QueueOptions>) {
    this.#options = { ...DEFAULTS, ...options };
    this.#limits = this.#options.limits;
    this.#supply = new TokenSupply(this.#supplyOptions(), {
      waiting: () => this.#lanes.waiting(),
      learned: (token) => this.#learn(token),
      online: (signal) => this.#gate.untilOnline(signal),
    });
    this.#shipping = new Shipping(this.#store, () => this.#options);
    this.#lanes = new Lanes(this.#store, this.#supply, this.#shipping, this.#gate, () => ({
      ...this.#options,
      limits: this.#limits,
    }));
    for (const type of ['add', 'change', 'remove', 'status'] as const) this.on(type, () => this.#watch());
    this.#go();
  }

  get size(): number {
    return this.#store.items.length;
  }

  get totals(): Readonly<Totals> {
    return this.#store.tally;
  }

  get online(): boolean {
    return this.#gate.online;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get items(): readonly UploadItem[] {
    return this.#store.items;
  }

  get(id: string): UploadItem | undefined {
    return this.#store.get(id);
  }

  on<K extends keyof QueueEventMap>(type: K, listener: (event: QueueEventMap[K]) => void): () => void {
    return this.#store.events.on(type, listener);
  }

  configure(options: Partial<QueueOptions>): void {
    this.#options = { ...this.#options, ...options };
    const isNewSource = this.#supply.configure(this.#supplyOptions());
    if (isNewSource) this.#learned = NO_LIMITS;
    this.#narrow();
    if (isNewSource) this.#lanes.changeSource();
    this.#go();
  }

  add(files: Iterable<File | Chosen>, replace = false): UploadItem[] {
    const added: Item[] = [];
    const all = Array.from(files, (one): Chosen => (one instanceof File ? { file: one, relativePath: '' } : one));
    const items = all.map((chosen) => [chosen, Item.of(this.#id(), chosen)] as const);
    const replaced = this.#store.replacedBy(items.map(([, item]) => item));
    if (replaced.length > 0) this.#remove(replaced);
    for (const [chosen, item] of items) {
      const { unready, rejection: refused } = chosen;
      const rejection = unready ? undefined : (refused ?? judge(item, this.#limits, replace ? NOTHING : this.#store.taken));
      if (rejection) item.state = { status: 'rejected', rejection };
      else {
        // What could not be made ready takes the place of nothing but such.
        if (replace) this.#remove(this.#store.items.filter((one) => (unready ? one.unready : one.state.status !== 'rejected')));
        replace &&= unready !== undefined;
        if (!unready) this.#asleep.add(item);
      }
      this.#store.add(item);
      if (unready) {
        item.unready = chosen;
        this.#store.change(item, { status: 'failed', error: unready, retryable: true });
        queueMicrotask(() => this.#store.settle());
      }
      added.push(item);
    }
    // Who adds files in several turns of one task has them travel together.
    queueMicrotask(() => this.#go());
    return added;
  }

  restore(files: readonly StoredFile[]): UploadItem[] {
    return files.map((file) => {
      const item = Item.stored(this.#id(), file);
      this.#store.add(item);
      return item;
    });
  }

  start(): void {
    const { queued, active } = this.#store.tally;
    this.#started = queued + active > 0;
    this.#go();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#go();
    this.#lanes.pause();
    this.#tell();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#tell();
    this.#lanes.resume();
    this.#go();
  }

  retry(id?: string): void {
    const one = id === undefined ? undefined : this.#store.get(id);
    const items = id === undefined ? this.#store.items : one ? [one] : [];
    const again = items.filter(({ state }) =>
      state.status === 'failed' ? one || state.retryable : state.status === 'waiting' && state.retryAt !== null,
    );
    for (const item of again) item.renew();
    this.#gate.release();
    this.#lanes.requeue(again.filter(({ unready }) => !unready));
    this.#go();
    const unready = again.filter((item) => item.unready);
    if (unready.length === 0) return;
    this.#remove(unready);
    this.#store.events.emit('again', { chosen: unready.flatMap((item) => item.unready ?? []) });
  }

  cancel(id?: string): void {
    const one = id === undefined ? undefined : this.#store.get(id);
    if (id === undefined) this.#remove(this.#store.items.filter(({ state }) => state.status !== 'done'));
    else if (one) this.#remove([one]);
  }

  clear(): void {
    this.#remove(this.#store.items);
  }

  dismiss(): void {
    const refused = this.#store.items.filter(({ state }) => state.status === 'rejected');
    if (refused.length > 0) this.#remove(refused);
  }

  move(id: string, to: number): void {
    const item = this.#store.get(id);
    if (item) this.#store.move(item, to);
  }

  destroy(): void {
    this.#judging.abort();
    this.#lanes.destroy();
    this.#shipping.destroy();
    this.#supply.destroy();
    this.#gate.destroy();
    this.#guard.set(false);
    this.#store.events.clear();
  }

  #remove(items: readonly Item[]): void {
    const gone = new Set(items);
    this.#store.remove(gone);
    for (const item of items) this.#asleep.delete(item);
    this.#lanes.drop(gone);
    this.#lanes.pump();
    this.#store.settle();
  }

  #id(): string {
    return `file-${++this.#count}`;
  }

  #supplyOptions() {
    const { tokenProvider, endpoint } = this.#options;
    return { provider: tokenProvider, endpoint };
  }

  #go(): void {
    if (this.#started || !this.#options.manual) {
      for (const item of this.#asleep) this.#lanes.line.push(item);
      this.#asleep.clear();
    }
    this.#lanes.going = !this.#paused;
    this.#lanes.pump();
  }

  #watch(): void {
    const { active, queued } = this.#store.tally;
    const isBusy = active + queued > 0;
    this.#started &&= isBusy;
    this.#gate.listen(isBusy && !this.#paused);
    this.#guard.set(this.#options.guard && !this.#paused && active + queued > this.#asleep.size);
  }

  #tell(): void {
    this.#store.events.emit('status', { online: this.online, paused: this.#paused, limits: this.#limits });
  }

  #turned(what: GateChange): void {
    if (what === 'offline') this.#lanes.offline();
    if (what === 'online' || what === 'offline') this.#tell();
    if (what === 'online' || what === 'visible') this.#lanes.wake();
    this.#lanes.pump();
  }

  #learn(token: Token): void {
    this.#learned = token.limits;
    this.#narrow();
  }

  /** Limits that changed judge again what still waits, and are told. */
  #narrow(): void {
    const limits = narrow(this.#options.limits, this.#learned);
    if (JSON.stringify(limits) === JSON.stringify(this.#limits)) return;
    this.#limits = limits;
    this.#judging.abort();
    this.#judging = new AbortController();
    const waiting = this.#store.items.filter(({ isQueued }) => isQueued);
    void inSlices(waiting, (some) => this.#judgeAgain(some), this.#judging.signal);
    this.#tell();
  }

  #judgeAgain(items: readonly Item[]): void {
    for (const item of items) {
      const rejection = item.isQueued && judgeAgain(item, this.#limits);
      if (!rejection) continue;
      this.#asleep.delete(item);
      this.#store.change(item, { status: 'rejected', rejection });
    }
    // They may have been the last that were waited for.
    queueMicrotask(() => this.#store.settle());
  }
}

/**
 * The headless queue behind the element: it holds the thousands, judges them, supplies tokens, sends and repeats.
 * Nothing starts before the first file, and nothing is left of it after the last: no listener, no request.
 */
export const createUploadQueue = (options: Partial<QueueOptions> = {}): UploadQueue => new Queue(options);
