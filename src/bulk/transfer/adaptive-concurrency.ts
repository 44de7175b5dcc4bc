import { aborted } from './abort.js';

/** How a gate adapts. Times in milliseconds. */
export interface GateOptions {
  /** Requests at once in the beginning. @default 16 */
  start?: number;
  /** @default 128 */
  max?: number;
  /** A number of requests that never changes. */
  fixed?: number;
  /** How long a level is watched before the next step. @default 200 */
  window?: number;
  now?: () => number;
}

/** A request counts as this many bytes, so that small files and large parts are measured on one scale. */
const REQUEST_WEIGHT = 64 * 1024;
const GROWTH = 1.5;
/** A step up has to bring this much, or it is taken back. */
const WORTH = 1.05;
/** Windows without a further try after one that brought nothing. */
const REST = 25;
/** A body above this holds its place for long. Bytes. */
const HEAVY = 1024 * 1024;
/** One place in so many is not for heavy requests while light ones wait: one large file must not hold up thousands of small ones. */
const KEPT = 4;

interface Waiting {
  go: () => void;
  fail: (error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Lets through as many requests at once as the store rewards: the number grows while throughput grows, goes back when
 * a step brought nothing, and halves when the store asks for less.
 */
export class Gate {
  #limit: number;
  #inside = 0;
  #heavyInside = 0;
  #wasHeavy = false;
  readonly #light: Waiting[] = [];
  readonly #heavy: Waiting[] = [];
  #score = 0;
  #since: number;
  #best = 0;
  #bestLimit: number;
  #resting = 0;
  #quietUntil = 0;
  /** Whether the limit was reached in this window: a level that nobody used says nothing. */
  #full = false;
  readonly #now: () => number;
  readonly #max: number;
  readonly #window: number;
  readonly #adapts: boolean;

  constructor(options: GateOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#max = options.max ?? 128;
    this.#window = options.window ?? 200;
    this.#adapts = options.fixed === undefined;
    this.#limit = options.fixed ?? Math.min(options.start ?? 16, this.#max);
    this.#bestLimit = this.#limit;
    this.#since = this.#now();
  }

  get limit(): number {
    return this.#limit;
  }

  /**
   * Takes a place; answers with a promise only when there is none free.
   * @param weight bytes that will cross the wire for it
   */
  enter(signal: AbortSignal, weight: number): void | Promise<void> {
    if (this.#inside < this.#limit && this.#isIdle) return this.#take(weight > HEAVY);
    this.#full = true;
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(aborted(signal));
      (weight > HEAVY ? this.#heavy : this.#light).push({ go: resolve, fail: reject, signal });
      return undefined;
    });
  }

  /** Gives the place back. A failed request counts nothing. @param weight what it entered with */
  leave(weight: number, succeeded: boolean): void {
    this.#inside--;
    if (weight > HEAVY) this.#heavyInside--;
    if (succeeded) this.#score += weight + REQUEST_WEIGHT;
    if (this.#adapts) this.#adapt();
    this.#admit();
  }

  /** Fails what waits with this signal, which has fired. */
  dismiss(signal: AbortSignal): void {
    for (const queue of [this.#light, this.#heavy])
      for (let at = queue.length; at-- > 0;) if (queue[at]!.signal === signal) queue.splice(at, 1)[0]!.fail(aborted(signal));
  }

  /** The store answered that it is too much: half of it, once a second at most however many answers say so. */
  backOff(): void {
    const now = this.#now();
    if (!this.#adapts || now < this.#quietUntil) return;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    this.#bestLimit = this.#limit;
    this.#best = 0;
    this.#resting = REST;
    this.#quietUntil = now + 1000;
    this.#restart(now);
  }

  #adapt(): void {
    const now = this.#now();
    if (now - this.#since < this.#window) return;
    const rate = this.#score / (now - this.#since);
    const full = this.#full;
    this.#restart(now);
    if (!full) return;
    if (this.#resting > 0) {
      this.#resting--;
      // Speeds change by themselves: what the next step is compared with is what holds now.
      this.#best = rate;
      return;
    }
    if (rate > this.#best * WORTH) {
      this.#best = rate;
      this.#bestLimit = this.#limit;
      this.#limit = Math.min(this.#max, Math.ceil(this.#limit * GROWTH));
      if (this.#limit === this.#bestLimit) this.#resting = REST;
    } else {
      this.#limit = this.#bestLimit;
      this.#resting = REST;
    }
  }

  #restart(now: number): void {
    this.#since = now;
    this.#score = 0;
    this.#full = !this.#isIdle;
  }

  get #isIdle(): boolean {
    return this.#light.length + this.#heavy.length === 0;
  }

  /** Whether the next place is for a heavy request while light ones wait as well; a single place they have in turns. */
  get #isForHeavy(): boolean {
    return this.#limit === 1 ? !this.#wasHeavy : this.#heavyInside < this.#limit - Math.ceil(this.#limit / KEPT);
  }

  #take(heavy: boolean): void {
    this.#inside++;
    this.#wasHeavy = heavy;
    if (heavy) this.#heavyInside++;
  }

  #admit(): void {
    while (this.#inside < this.#limit && !this.#isIdle) {
      const heavy = this.#heavy.length > 0 && (this.#light.length === 0 || this.#isForHeavy);
      const next = (heavy ? this.#heavy : this.#light).shift()!;
      if (next.signal.aborted) next.fail(aborted(next.signal));
      else {
        this.#take(heavy);
        next.go();
      }
    }
  }
}
