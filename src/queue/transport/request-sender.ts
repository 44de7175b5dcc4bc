import { BlobError, invalid } from '../../protocol/errors.js';
import type { Transport } from '../../protocol/transport.js';
import type { Item } from '../queue-item.js';
import { isMistake } from '../programmer-error.js';
import { AGAIN } from '../retry-decision.js';
import type { Outcome } from '../retry-decision.js';
import { part } from './load-chunk.js';
import { checkTransported, RecordCheck } from './check-record.js';
import { sendRaw } from './send-single.js';
import { findGrown, isCutShort, problemsOf } from '../unreadable-file.js';
import type { Store } from '../queue-state.js';
import type { Token } from '../tokens/read-token.js';
import type { checkBeside } from '../verification/verify-digest.js';
import { nextTask } from '../tasks.js';
import { isBehindWorker, Watchdog } from './stall-monitor.js';
import { Wire } from './uppy-client.js';

/** How much longer the service may take to answer after the last byte than the line may stand still before it. */
const FINISHING = 4;

/** Bytes a millisecond of the slowest line there is: what a request may take of which nothing is told. */
const SLOWEST = 10;

/** Firefox and WebKit stand still at a file that is gone: who stands so many milliseconds has its files looked at. */
const LOOK_MS = 3000;

export interface ShippingOptions {
  transport: Transport | null;
  batchUpTo: number;
  resumableFrom: number;
  stallAfter: number;
  verify: boolean;
}

type Route = 'batch' | 'resumable';
type Answers = readonly (Outcome | undefined)[];

/** What the routes beyond the plain one need: loaded when a page has files for them. */
const LOAD = {
  batch: () => part('sendBatch', () => import('./send-batch.js')),
  resumable: () => part('sendResumable', () => import('./send-resumable.js')),
  verify: () => part('checkBeside', () => import('../verification/verify-digest.js')),
};

/** What is stored already has no bytes here, and is sent by nobody. */
type Sendable = Item & { file: File };

/** A transport watches itself; a timer takes no more. */
const NEVER = 2 ** 31 - 1;

/** Chooses how a group travels, and watches that it moves. */
export class Shipping {
  readonly #wire = new Wire();
  /** Routes the service turned out not to have. */
  readonly #missing = { batch: false, resumable: false };
  readonly #records = new RecordCheck();
  #checkBeside: typeof checkBeside | undefined;

  constructor(
    private readonly store: Store,
    private readonly options: () => ShippingOptions,
  ) {}

  /** Whether a file may share a request with others. */
  isSmall(item: Item): boolean {
    const { transport, batchUpTo } = this.options();
    return !transport && !this.#missing.batch && item.size <= batchUpTo;
  }

  /**
   * Loads what the group will need: its route while its token is fetched, and before that what checks it, since what is stored
   * and cannot be checked would only be sent again.
   * @throws BlobError when the latter does not load
   */
  async prepare(group: readonly Item[]): Promise<void> {
    const { transport, verify } = this.options();
    if (transport) return;
    const route = this.#routeOf(group);
    if (route) LOAD[route]().catch(() => {});
    const isVerified = verify || group.some(({ isContinued }) => isContinued);
    this.#checkBeside = isVerified ? await LOAD.verify() : undefined;
  }

  /**
   * @param token undefined where a transport carries the files
   * @returns what became of each file, in order
   * @throws BlobError when the request as a whole failed; `STALLED` when nothing moved
   */
  async ship(group: readonly Item[], token: Token | undefined, lane: AbortController): Promise<Outcome[]> {
    const trip = new Trip(group, this.store, lane, token ? this.options().stallAfter : NEVER);
    let check = token && this.#checkBeside?.(group, lane.signal);
    const verifyWhole = async () => {
      const checkBeside = await LOAD.verify();
      check ??= checkBeside(group, lane.signal);
    };
    const growth = token && findGrown(group, lane.signal, trip.lost);
    let outcomes: Outcome[];
    try {
      // Lanes that got their token together do not build their requests in one task.
      await nextTask();
      const answers = await this.#send(group, token, trip, verifyWhole);
      outcomes = token ? this.#records.check(group, answers) : answers.map(checkTransported);
    } finally {
      trip.end();
    }
    const grown = await growth;
    if (grown) outcomes = outcomes.map((outcome, index) => grown.get(group[index]!) ?? outcome);
    return check ? check(outcomes) : outcomes;
  }

  /** The person took an unfinished file off the list: what the service holds for it is freed, if it can be told. */
  abandon(item: Item): void {
    this.options().transport?.abandon?.(item as Sendable);
    if (!item.token?.isAlive) return;
    const { token } = item;
    part('terminate', () => import('./send-resumable.js'))
      .then((terminate) => terminate(this.#wire, item, token))
      .catch(() => {});
  }

  destroy(): void {
    this.#wire.destroy();
  }

  /** Undefined: one request with nothing but the file's bytes. */
  #routeOf(group: readonly Item[]): Route | undefined {
    if (group.length > 1) return 'batch';
    return this.#missing.resumable || group[0]!.size < this.options().resumableFrom ? undefined : 'resumable';
  }

  async #send(group: readonly Item[], token: Token | undefined, trip: Trip, verifyWhole: () => Promise<void>): Promise<Answers> {
    const { signal } = trip.lane;
    const item = group[0]!;
    const told = {
      signal,
      progress: (sent: number) => trip.moved(item, sent),
      resumed: (offset: number) => trip.resumed(item, offset),
    };
    if (!token) {
      item.begun = true;
      try {
        return [await this.options().transport!.send(item as Sendable, told)];
      } catch (cause) {
        throw isMistake(cause) ? invalid('transport', cause.message) : cause;
      }
    }
    const passage = { ...told, token, verifyWhole };
    const route = this.#routeOf(group);
    if (route === 'batch')
      return this.#orWithout(route, LOAD.batch, (sendBatch) => sendBatch(this.#wire, group, passage, trip.moved));
    if (route === undefined) return [await sendRaw(this.#wire, item, passage)];
    return this.#orWithout(route, LOAD.resumable, async (sendResumable) => [await sendResumable(this.#wire, item, passage)]);
  }

  /** Where the service lacks the route, or the page its code, the files go again, without it from now on. */
  async #orWithout<T>(route: Route, load: () => Promise<T>, send: (code: T) => Promise<Answers>): Promise<Answers> {
    const code = await load().catch(() => undefined);
    try {
      if (code) return await send(code);
    } catch (error) {
      if (!isMissingRoute(error)) throw error;
    }
    this.#missing[route] = true;
    throw AGAIN;
  }
}

/** Whether an error says that the service has no such route. */
const isMissingRoute = (error: unknown): boolean =>
  error instanceof BlobError &&
  (error.status === 405 || (error.status === 404 && ['NOT_FOUND', 'UNEXPECTED_ANSWER'].includes(error.code)));

/** One request's way: what moved, and a watch over it. */
class Trip {
  readonly #sent = new Map<Item, number>();
  readonly #look: Watchdog;
  readonly #watchdog: Watchdog;
  #left: number;
  #hasEnded = false;
  /** Where no progress may be told at all, it says little that none was. */
  #isBlind = isBehindWorker();

  constructor(
    private readonly group: readonly Item[],
    private readonly store: Store,
    readonly lane: AbortController,
    private readonly stallAfter: number,
  ) {
    this.#left = group.reduce((sum, { size }) => sum + size, 0);
    const look = async () => {
      const problems = await problemsOf(group);
      // Where all is sent the answer counts, whatever has become of the file since.
      const isLost = this.#left > 0 ? problems.length > 0 : problems.some(isCutShort);
      if (isLost) this.lost();
    };
    this.#look = new Watchdog(stallAfter === NEVER ? NEVER : LOOK_MS, look);
    this.#watchdog = new Watchdog(stallAfter, this.#stalled);
    for (const item of group) this.moved(item, 0);
  }

  /** A file cannot be sent as it was chosen: the request ends, and its files are looked at one by one. */
  readonly lost = (): void => {
    if (!this.#hasEnded) this.lane.abort(new BlobError('STALLED', 'A file cannot be read.'));
  };

  /** @param sent bytes of the file on their way, all told */
  moved = (item: Item, sent: number): void => {
    if (sent > 0) this.#isBlind = false;
    this.store.tally.move(this.#advance(item, sent), item.size);
  };

  /** The service had them before. What got through since the last break counts as a success: a long file may break often. */
  resumed(item: Item, offset: number): void {
    // Only what it never had before: a service that says now this, now that would be tried for ever.
    if (offset > item.kept) {
      item.failures = item.excused = item.waited = 0;
      item.kept = offset;
    }
    this.#advance(item, offset);
  }

  end(): void {
    this.#hasEnded = true;
    this.#watchdog.stop();
    this.#look.stop();
  }

  readonly #stalled = (): void => {
    for (const item of this.group) this.store.events.emit('stall', { item });
    this.lane.abort(new BlobError('STALLED', `Nothing moved for ${Math.round(this.stallAfter / 1000)} seconds.`));
  };

  #advance(item: Item, sent: number): number {
    // Below 0 where a transport takes back what was in vain.
    const more = sent - (this.#sent.get(item) ?? 0);
    this.#sent.set(item, sent);
    this.#left -= more;
    this.#look.note(this.#left <= 0 ? this.stallAfter : LOOK_MS);
    const patience = this.#isBlind || this.#left <= 0 ? this.stallAfter * FINISHING : this.stallAfter;
    this.#watchdog.note(Math.min(NEVER, this.#isBlind ? patience + this.#left / SLOWEST : patience));
    if (item.lane === this.lane) this.store.progress(item, sent, item.failures + 1);
    return more;
  }
}
