import { BlobError, isRetryable } from '../protocol/errors.js';
import { UPLOAD_TOKEN } from '../protocol/limits.js';
import type { ChosenFile, FileRecord } from '../protocol/types.js';
import type { Gate } from './gate.js';
import { randomKey } from './item.js';
import type { Item } from './item.js';
import { Line } from './line.js';
import { sendRaw } from './raw.js';
import { delayBefore, statedDelay } from './retry.js';
import type { RetryPolicy } from './retry.js';
import { judgeAgain } from './rules.js';
import type { Store } from './store.js';
import type { TokenSupply } from './supply.js';
import { isAlive } from './token.js';
import type { Token } from './token.js';
import type { Limits, UploadState } from './types.js';
import { Watchdog } from './watchdog.js';
import { Wire } from './wire.js';

export interface LaneOptions {
  concurrency: number;
  policy: RetryPolicy;
  /** Milliseconds without a byte after which a request is ended; four times that for the answer after the last byte. */
  stallAfter: number;
  limits: Limits;
}

/** What became of one file of a group. */
type Outcome = FileRecord | BlobError;

/** Refusals of its token after which a file is given up: a supply that hands out dead tokens must not go on for ever. */
const REFUSALS = 3;

/** How much longer the service may take to answer after the last byte than the line may stand still before it. */
const FINISHING = 4;

const asBlobError = (cause: unknown): BlobError =>
  cause instanceof BlobError
    ? cause
    : new BlobError('NETWORK_ERROR', cause instanceof Error ? cause.message : String(cause), { cause });

/** Brings files from the line to the service, a bounded number at a time. */
export class Lanes {
  readonly line = new Line();
  /** Whether anything may start at all: `start()` of a manual queue, and no pause. */
  going = false;
  readonly #wire = new Wire();
  /** Files in flight, between two tries, or paused. */
  readonly #busy = new Set<Item>();
  #running = 0;

  constructor(
    private readonly store: Store,
    private readonly supply: TokenSupply,
    private readonly gate: Gate,
    private readonly options: () => LaneOptions,
  ) {}

  /** Fills free lanes from the line. */
  pump(): void {
    while (this.going && this.gate.open && this.#running < this.options().concurrency) {
      const item = this.line.peek();
      if (!item) return;
      this.line.shift();
      void this.#run([item]);
    }
  }

  /** The files that wait for a token, at most as many as one token can carry. */
  waiting(): ChosenFile[] {
    const wanting = [...this.#busy].filter(({ state }) => state.status === 'uploading' && state.phase === 'token');
    const count = UPLOAD_TOKEN.maxUses.max;
    return [...wanting, ...this.line.ahead(count)].slice(0, count).map(({ name, size, type }) => ({ name, size, type }));
  }

  /** Stops what is in flight and holds it; what is queued stays queued. */
  pause(): void {
    for (const item of this.#busy) {
      this.#leave(item);
      this.#busy.add(item);
      this.store.change(item, { status: 'paused', sent: item.sent });
    }
  }

  resume(): void {
    this.#requeue([...this.#busy].filter(({ state }) => state.status === 'paused'));
  }

  /** The connection is gone: nothing that is in flight can arrive, and no try is spent on that. */
  offline(): void {
    const error = new BlobError('NETWORK_ERROR', 'The browser is offline.');
    for (const item of this.#busy) {
      if (item.state.status === 'paused') continue;
      this.#leave(item);
      this.#wait(item, error, null);
    }
  }

  online(): void {
    this.#requeue([...this.#busy].filter(({ state }) => state.status === 'waiting' && state.retryAt === null));
  }

  /** Takes a file out of whatever it is in. The files it travels with go again at once. */
  drop(item: Item): void {
    this.#leave(item);
  }

  destroy(): void {
    this.going = false;
    for (const item of this.#busy) this.#leave(item);
    this.line.clear();
    this.#wire.destroy();
  }

  /** One group's way through one lane: a token, the request, and what becomes of each file. */
  async #run(group: Item[]): Promise<void> {
    const lane = new AbortController();
    this.#running++;
    for (const item of group) this.#enter(item, lane);
    try {
      const token = await this.#tokenFor(group, lane.signal);
      const ready = group.filter((item) => item.lane === lane);
      if (ready.length > 0) {
        const outcomes = await this.#ship(ready, token, lane);
        ready.forEach((item, index) => item.lane === lane && this.#end(item, outcomes[index]!));
      }
    } catch (cause) {
      const error = asBlobError(cause);
      const left = group.filter((item) => item.lane === lane);
      const delay = this.#delay(left, error);
      for (const item of left) this.#end(item, error, delay);
      if (error.code === 'TOKEN_SUPPLY_FAILED') this.#failQueued(error);
    } finally {
      this.#running--;
      this.pump();
      this.store.settle();
    }
  }

  async #ship(group: Item[], token: Token, lane: AbortController): Promise<Outcome[]> {
    const { stallAfter } = this.options();
    const watchdog = new Watchdog(stallAfter, () => {
      for (const item of group) this.store.events.emit('stall', { item });
      lane.abort(new BlobError('STALLED', `Nothing moved for ${Math.round(stallAfter / 1000)} seconds.`));
    });
    const [item] = group as [Item];
    const progress = (sent: number) => {
      watchdog.note(sent >= item.size ? stallAfter * FINISHING : stallAfter);
      if (item.lane === lane) this.store.progress(item, sent, item.failures + 1);
    };
    try {
      progress(0);
      return [await sendRaw(this.#wire, item, { token, progress, signal: lane.signal })];
    } finally {
      watchdog.stop();
    }
  }

  /** A token for the whole group. Files it cannot carry go back to the line; files it forbids are rejected. */
  async #tokenFor(group: Item[], signal: AbortSignal): Promise<Token> {
    const held = group[0]!.token;
    // A repeat goes with the token of the first try: had that one been stored, its answer comes again and no use is spent.
    if (held && isAlive(held) && group.every((item) => item.token === held)) return held;
    const { token, uses } = await this.supply.lease(group.length, signal);
    const beyond: Item[] = [];
    let carried = 0;
    for (const item of group) {
      if (item.lane?.signal !== signal) continue;
      const rejection = judgeAgain(item, this.options().limits);
      if (rejection) this.#close(item, { status: 'rejected', rejection });
      else if (carried < uses) {
        carried++;
        item.token = token;
      } else beyond.push(item);
    }
    for (; carried < uses; carried++) this.supply.giveBack(token);
    this.#requeue(beyond);
    return token;
  }

  #enter(item: Item, lane: AbortController): void {
    item.key ??= randomKey();
    item.lane = lane;
    this.#busy.add(item);
    this.store.change(item, { status: 'uploading', phase: 'token', sent: item.sent, attempt: item.failures + 1 });
  }

  /** Out of its lane and its wait; the request ends, and with it the whole group's. */
  #leave(item: Item): void {
    const { lane } = item;
    item.lane = undefined;
    clearTimeout(item.timer);
    this.#busy.delete(item);
    lane?.abort(new BlobError('ABORTED', 'The request was ended.'));
  }

  #close(item: Item, state: UploadState): void {
    item.lane = undefined;
    this.#busy.delete(item);
    this.store.change(item, state);
  }

  #requeue(items: readonly Item[]): void {
    for (const item of items) this.#close(item, { status: 'queued' });
    this.line.unshift(items);
    this.pump();
  }

  #end(item: Item, outcome: Outcome, delay?: number): void {
    if (!(outcome instanceof BlobError)) {
      item.refusals = 0;
      this.#close(item, { status: 'done', file: outcome });
      return;
    }
    const { policy } = this.options();
    if (outcome.code === 'ABORTED') {
      this.#requeue([item]);
    } else if (outcome.code === 'BLOB_UPLOAD_TOKEN_INVALID' && item.token && ++item.refusals < REFUSALS) {
      this.supply.refuse(item.token);
      item.token = undefined;
      this.#requeue([item]);
    } else if (outcome.status === 0 && isRetryable(outcome) && !this.gate.online) {
      this.#wait(item, outcome, null);
    } else if (isRetryable(outcome) && item.failures + 1 < policy.tries && delay !== undefined && delay <= policy.patience) {
      item.failures++;
      this.store.events.emit('retry', { item, error: outcome, attempt: item.failures + 1 });
      this.#wait(item, outcome, delay);
    } else {
      // Definitely not stored, unless nobody knows.
      if (item.token && outcome.status >= 400 && outcome.status < 500) this.supply.giveBack(item.token);
      item.token = undefined;
      this.#close(item, { status: 'failed', error: outcome, retryable: mayPass(outcome) });
    }
  }

  /** One delay for the files of a group, so that they meet again. A pause that the service states holds for all. */
  #delay(group: readonly Item[], error: BlobError): number {
    const { policy } = this.options();
    const stated = statedDelay(error);
    const delay = delayBefore(Math.max(...group.map(({ failures }) => failures + 1)), policy, stated);
    const everyone = error.status === 429 || error.status === 503;
    if (everyone && stated !== undefined && delay <= policy.patience) this.gate.hold(stated * 1000);
    return delay;
  }

  #wait(item: Item, error: BlobError, delay: number | null): void {
    item.lane = undefined;
    this.#busy.add(item);
    const retryAt = delay === null ? null : Date.now() + delay;
    if (delay !== null) item.timer = setTimeout(() => this.#requeue([item]), delay);
    this.store.change(item, { status: 'waiting', sent: item.sent, attempt: item.failures + 1, retryAt, error });
  }

  /** No token, no upload: those that would only ask again are told now. */
  #failQueued(error: BlobError): void {
    for (let item = this.line.peek(); item; item = this.line.peek()) {
      this.line.shift();
      this.store.change(item, { status: 'failed', error, retryable: true });
    }
  }
}

/** Whether the person may ask for another try: the cause can go away without another file being chosen. */
const mayPass = (error: BlobError): boolean =>
  isRetryable(error) || ['TOKEN_SUPPLY_FAILED', 'BLOB_UPLOAD_TOKEN_INVALID', 'STORAGE_FULL'].includes(error.code);
