// Long because what becomes of a file in flight is decided here and nowhere else.
import { BlobError, retryAfterSeconds } from '../protocol/errors.js';
import { BATCH, UPLOAD_TOKEN } from '../protocol/limits.js';
import type { Transport } from '../protocol/transport.js';
import type { ChosenFile } from '../protocol/types.js';
import type { Gate } from './pause-controller.js';
import { randomKey } from './queue-item.js';
import type { Item } from './queue-item.js';
import { Line } from './pending-queue.js';
import { AGAIN, asBlobError, mayPass, REFUSALS, verdict } from './retry-decision.js';
import type { Outcome } from './retry-decision.js';
import { part } from './transport/load-chunk.js';
import { diagnose, isUnreadable } from './unreadable-file.js';
import { delayBefore } from './retry-delay.js';
import type { RetryPolicy } from './retry-delay.js';
import { judgeAgain } from './file-rules.js';
import type { Shipping } from './transport/request-sender.js';
import type { Store } from './queue-state.js';
import type { TokenSupply } from './tokens/token-supply.js';
import type { Token } from './tokens/read-token.js';
import type { Limits, UploadState } from './types.js';

export interface LaneOptions {
  concurrency: number;
  transport: Transport | null;
  retry: RetryPolicy;
  limits: Limits;
  sniff: boolean;
  problem: BlobError | null;
}

/** Bytes of files in one request: far below what the service takes, so that a broken connection costs little. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Brings files from the line to the service, a bounded number of requests at a time. */
export class Lanes {
  readonly line = new Line();
  /** Whether anything may start at all: `start()` of a manual queue, and no pause. */
  going = false;
  /** Files in flight, between two tries, or paused. */
  readonly #busy = new Set<Item>();
  #running = 0;
  /** Files that failed because of `problem`. */
  readonly #refused = new Set<Item>();
  /** Requests in a row that found no service. */
  #missed = 0;
  /** Tokens that the service refused since it last stored a file. */
  #refusedTokens = 0;

  constructor(
    private readonly store: Store,
    private readonly supply: TokenSupply,
    private readonly shipping: Shipping,
    private readonly gate: Gate,
    private readonly options: () => LaneOptions,
  ) {}

  /** Fills free lanes from the line. */
  pump(): void {
    if (!this.going) return;
    const { problem } = this.options();
    if (problem) return this.#refuse(problem);
    this.#releaseRefused();
    while (this.going && this.gate.open && this.#running < this.options().concurrency) {
      const group = this.#next();
      if (group.length === 0) return;
      void this.#run(group);
    }
  }

  /** Ends what is in flight and fails it, with all that is queued. */
  #refuse(problem: BlobError): void {
    const items = [...this.#busy, ...this.#takeLine()];
    for (const item of items) {
      this.#leave(item);
      this.#refused.add(item);
      this.#fail(item, problem);
    }
    if (items.length > 0) queueMicrotask(() => this.store.settle());
  }

  #releaseRefused(): void {
    if (this.#refused.size === 0) return;
    const items = [...this.#refused].filter(({ state, removed }) => state.status === 'failed' && !removed);
    this.#refused.clear();
    for (const item of items) item.renew();
    this.requeue(items);
  }

  /** The files that wait for a token, at most as many as one token can carry. */
  waiting(): ChosenFile[] {
    const wanting = [...this.#busy].filter(({ state }) => state.status === 'uploading' && state.phase === 'token');
    const count = UPLOAD_TOKEN.maxUses.max;
    return [...wanting, ...this.line.ahead(count)].slice(0, count).map(({ name, size, type, relativePath }) => {
      const chosen = { name, size, type };
      return relativePath === '' ? chosen : { ...chosen, path: relativePath };
    });
  }

  /** Ends what is in flight and holds it; what is queued stays queued. */
  pause(): void {
    const held = [...this.#busy];
    for (const item of held) {
      clearTimeout(item.timer);
      this.#leave(item);
    }
    for (const item of held) this.#hold(item, { status: 'paused', sent: item.sent });
  }

  resume(): void {
    this.requeue([...this.#busy].filter(({ state }) => state.status === 'paused'));
  }

  /** The connection is gone: nothing that is in flight can arrive, and no try is spent on that. */
  offline(): void {
    const error = new BlobError('NETWORK_ERROR', 'The browser is offline.');
    const held = [...this.#busy].filter(({ state }) => state.status !== 'paused');
    for (const item of held) this.#leave(item);
    for (const item of held) this.#wait(item, error, null);
  }

  /**
   * The endpoint or the token source changed. Requests in flight finish with the old one. Files between two tries go again at once, as
   * their failures say nothing of the new one.
   */
  changeSource(): void {
    const waiting = [...this.#busy].filter(({ state }) => state.status === 'waiting' && state.retryAt !== null);
    if (waiting.length === 0) return;
    for (const item of waiting) item.renew();
    this.gate.release();
    this.requeue(waiting);
  }

  /** Something changed for the better: what waits goes again now, but for what the service itself asked to wait. */
  wake(): void {
    if (!this.gate.online) return;
    const waiting = [...this.#busy].filter(({ state }) => state.status === 'waiting');
    const free: Item[] = [];
    for (const item of waiting) {
      if (!('retryAt' in item.state) || retryAfterSeconds(item.state.error) !== undefined) continue;
      const { retryAt } = item.state;
      // What failed for a reason of its own would only lose a try.
      if (retryAt !== null && item.excused === 0) continue;
      free.push(item);
    }
    if (free.length > 0 && free.length === waiting.length) this.gate.release();
    this.requeue(free);
  }

  /** Takes files out of whatever they are in. Those they travel with go again at once. */
  drop(items: Iterable<Item>): void {
    for (const item of items) {
      this.#leave(item);
      if (item.begun && item.state.status !== 'done') this.shipping.abandon(item);
    }
  }

  destroy(): void {
    this.going = false;
    for (const item of this.#busy) this.#leave(item);
    this.line.clear();
  }

  /** The files of the next request: one, or as many small ones as may travel together. */
  #next(): Item[] {
    const group: Item[] = [];
    let bytes = 0;
    // Spread evenly, so that no lane idles while another carries a hundred.
    const share = Math.ceil(this.store.tally.queued / (this.options().concurrency - this.#running));
    const most = Math.min(BATCH.maxParts, share, this.supply.span);
    for (let item = this.line.peek(); item; item = this.line.peek()) {
      const small = this.shipping.isSmall(item);
      if (group.length > 0 && (!small || group.length >= most || bytes + item.size > BATCH_BYTES)) break;
      this.line.shift();
      group.push(item);
      bytes += item.size;
      if (!small) break;
    }
    return group;
  }

  /** One group's way through one lane: a token, the request, and what becomes of each file. */
  async #run(group: readonly Item[]): Promise<void> {
    const lane = new AbortController();
    const present = () => group.filter((item) => item.lane === lane);
    let asking = false;
    this.#running++;
    // The page hears of each file that enters and may remove the next one.
    for (const item of group) if (item.isQueued) this.#enter(item, lane);
    try {
      await this.shipping.prepare(group);
      const { sniff, transport } = this.options();
      if (sniff) await this.#sniff(group, lane);
      if (present().length === 0) return;
      asking = !transport;
      const token = asking ? await this.#tokenFor(group, lane) : undefined;
      asking = false;
      const ready = present();
      if (ready.length > 0) {
        const outcomes = await this.shipping.ship(ready, token, lane);
        this.#conclude(
          ready.map((item, index) => [item, outcomes[index]!]),
          lane,
        );
      }
    } catch (cause) {
      const error = asBlobError(cause);
      const left = present();
      const outcomes = this.gate.online ? await diagnose(left, error) : left.map(() => error);
      this.#conclude(
        left.map((item, index) => [item, outcomes[index]!]),
        lane,
        asking,
      );
    } finally {
      this.#running--;
      this.pump();
      if (this.#running === 0) this.store.tally.rest();
      this.store.settle();
    }
  }

  /** What is not what its name says is told before a byte is sent. */
  async #sniff(group: readonly Item[], lane: AbortController): Promise<void> {
    const sniff = await part('sniff', () => import('./detect-type.js'));
    const found = await Promise.all(group.map((item) => sniff(item.file!).catch(() => undefined)));
    group.forEach((item, index) => {
      const details = found[index];
      if (details && item.lane === lane)
        this.#close(item, { status: 'rejected', rejection: { code: 'CONTENT_MISMATCH', details: { ...details } } });
    });
  }

  /** A token for the whole group. Files it cannot carry go back to the line; files it forbids are rejected. */
  async #tokenFor(group: readonly Item[], lane: AbortController): Promise<Token> {
    const held = group[0]!.token;
    // A repeat goes with the token of the first try: had that one been stored, its answer comes again and no use is spent.
    // After a change of the endpoint or the token source it goes with a token of the new one.
    if (held?.isAlive && this.supply.isOwn(held) && group.every((item) => item.token === held)) return held;
    const wanted = group.filter((item) => item.lane === lane).length;
    const { token, uses } = await this.supply.lease(wanted, lane.signal);
    const beyond: Item[] = [];
    let carried = 0;
    for (const item of group) {
      if (item.lane !== lane) continue;
      const rejection = judgeAgain(item, this.options().limits);
      if (rejection) this.#close(item, { status: 'rejected', rejection });
      else if (carried === uses) beyond.push(item);
      else {
        carried++;
        item.token = token;
      }
    }
    for (; carried < uses; carried++) this.supply.giveBack(token);
    this.requeue(beyond);
    return token;
  }

  /**
   * Each file goes its own way; those that are tried later share one delay, so that they meet again. The page hears of each file at
   * once and may remove or pause the next one, which is then left as it is.
   */
  #conclude(ended: readonly (readonly [Item, Outcome])[], lane: AbortController, asking = false): void {
    const again: Item[] = [];
    let hopeless: { items: Item[]; error: BlobError } | undefined;
    const later: (readonly [Item, BlobError])[] = [];
    const { retry: policy } = this.options();
    for (const [item, outcome] of ended) {
      if (item.lane !== lane) continue;
      const { refusals, waited } = item;
      const failures = item.failures - item.excused;
      const next = verdict(outcome, { online: this.gate.online, policy, asking, failures, refusals, waited });
      if (!(outcome instanceof BlobError)) {
        this.#missed = this.#refusedTokens = 0;
        // Events carry the file to the page's listeners.
        item.token = undefined;
        this.#close(item, { status: 'done', file: outcome });
      } else if (next !== 'fail' && next !== 'offline' && item.token && !this.supply.isOwn(item.token)) {
        // The source changed while it was on its way: the failure says nothing of the new one.
        item.token = undefined;
        again.push(item);
      } else if (next === 'later' || next === 'away') {
        if (next === 'away') item.excused++;
        later.push([item, outcome]);
      } else if (next === 'offline') this.#wait(item, outcome, null);
      else if (next === 'fail') {
        // No token, no upload: those that would only ask again are told now. What the page puts into the line meanwhile is not among them.
        // So are all where the service refuses token after token: each file would be sent in full several times, and tokens be minted, for nothing.
        const isRefused = outcome.code === 'BLOB_UPLOAD_TOKEN_INVALID' && this.#refusedTokens >= REFUSALS - 1;
        if (isRefused || (asking && !isUnreadable(outcome))) hopeless ??= { items: this.#takeLine(), error: outcome };
        this.#fail(item, outcome);
      } else {
        if (next === 'renew') this.#renew(item);
        again.push(item);
      }
    }
    const isLeft = (item: Item) => item.lane === lane;
    this.#later(
      later.filter(([item]) => isLeft(item)),
      asking,
    );
    this.requeue(again.filter(isLeft));
    for (const item of hopeless?.items ?? [])
      if (item.isQueued) this.store.change(item, { status: 'failed', error: hopeless!.error, retryable: true });
  }

  #later(failed: readonly (readonly [Item, BlobError])[], asking: boolean): void {
    if (failed.length === 0) return;
    const { retry: policy } = this.options();
    const stated = failed.map(([, error]) => retryAfterSeconds(error)).filter((seconds) => seconds !== undefined);
    const longest = stated.length > 0 ? Math.max(...stated) : undefined;
    const isLimited = failed.some(([, { status }]) => status === 429);
    // Who finds no token, or a service that none of us finds or that has enough of us, has no need of the others' company.
    // Two in a row: nothing gets through, at whatever speed.
    if (failed.some(([item]) => item.excused > 0) && this.#missed++ > 0) this.store.tally.rest();
    const isCommon = asking || isLimited || this.#missed > this.options().concurrency;
    const held = isCommon ? this.gate.left : 0;
    const own = delayBefore(Math.max(...failed.map(([item]) => item.failures + 1)), policy, longest);
    const delay = held > (longest ?? 0) * 1000 ? held : own;
    if (isCommon) this.gate.hold(delay);
    // What the service says of its own state holds for all of us.
    if (longest !== undefined && failed.some(([, { status }]) => status === 503)) this.gate.hold(longest * 1000);
    const timer = setTimeout(() => {
      this.requeue(failed.map(([item]) => item).filter((item) => item.timer === timer));
    }, delay);
    for (const [item, error] of failed) {
      item.failures++;
      item.waited += delay;
      item.timer = timer;
      this.#wait(item, error, Date.now() + delay);
    }
    // Told when all of them wait: the page may pause, or take files off the list.
    for (const [item, error] of failed)
      if (item.timer === timer) this.store.events.emit('retry', { item, error, attempt: item.failures + 1 });
  }

  #renew(item: Item): void {
    if (item.token && !item.token.dead) {
      this.supply.refuse(item.token);
      this.#refusedTokens++;
    }
    item.token = undefined;
    item.refusals++;
  }

  #fail(item: Item, error: BlobError): void {
    // A definite no took no use.
    const refused = error.status >= 400 && error.status < 500 && error.code !== 'CHECKSUM_MISMATCH';
    if (item.token && error.code === 'BLOB_UPLOAD_TOKEN_INVALID') this.supply.refuse(item.token);
    else if (item.token && refused) this.supply.giveBack(item.token);
    item.token = undefined;
    this.#close(item, { status: 'failed', error, retryable: mayPass(error) });
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
    item.timer = undefined;
    this.#busy.delete(item);
    lane?.abort(AGAIN);
  }

  #close(item: Item, state: UploadState): void {
    item.timer = undefined;
    this.#busy.delete(item);
    this.#set(item, state);
  }

  #hold(item: Item, state: UploadState): void {
    if (item.removed) return;
    this.#busy.add(item);
    this.#set(item, state);
  }

  #set(item: Item, state: UploadState): void {
    item.lane = undefined;
    // What is left of a wait that ends early (a pause, no connection, a sign of life) costs no patience.
    const left = item.state.status === 'waiting' ? (item.state.retryAt ?? 0) - Date.now() : 0;
    item.waited -= Math.min(item.waited, Math.max(0, left));
    this.store.change(item, state);
  }

  /** @param retryAt a `Date.now()` time; null: when the browser is online again */
  #wait(item: Item, error: BlobError, retryAt: number | null): void {
    this.#hold(item, { status: 'waiting', sent: item.sent, attempt: item.failures + 1, retryAt, error });
  }

  /** In front of the line. */
  requeue(items: readonly Item[]): void {
    if (items.length === 0) return;
    for (const item of items) this.#close(item, { status: 'queued' });
    this.line.unshift(items);
    this.pump();
  }

  /** Empties the line. */
  #takeLine(): Item[] {
    const items: Item[] = [];
    for (let item = this.line.peek(); item; item = this.line.peek()) {
      this.line.shift();
      items.push(item);
    }
    return items;
  }
}
