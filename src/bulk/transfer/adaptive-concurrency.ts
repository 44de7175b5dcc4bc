import { abortError } from '../abort.js';

/** Settings of adaptive concurrency. Times in milliseconds. */
export interface AdaptiveConcurrencyOptions {
  /** Parallel requests at the start. @default 16 */
  start?: number;
  /** Upper bound. @default 128 */
  max?: number;
  /** Constant number of parallel requests; nothing adapts. */
  fixed?: number;
  /** Time in which throughput is measured before the next step. @default 200 */
  window?: number;
  now?: () => number;
}

/** Bytes that one request counts for, so that small files and large parts share one throughput scale. */
const REQUEST_WEIGHT = 64 * 1024;
const GROWTH = 1.5;
/** Throughput gain that a step must bring; otherwise it is reverted. */
const MIN_GAIN = 1.05;
/** Windows to wait after a reverted step. */
const REST_WINDOWS = 25;
/** Requests with a larger body hold their slot for long. Bytes. */
const HEAVY_MIN = 1024 * 1024;
/** One slot in this many is kept for light requests, so that one large file cannot hold up thousands of small ones. */
const LIGHT_SHARE = 4;
/** Time after a back-off in which further throttling responses are ignored. Milliseconds. */
const BACK_OFF_PAUSE_MS = 1000;

interface WaitingRequest {
  start: () => void;
  fail: (error: unknown) => void;
  signal: AbortSignal;
}

/**
 * Limits the parallel requests of a transfer. The limit grows while throughput grows, returns to the best value
 * when a step brings nothing, and halves when the store throttles.
 */
export class AdaptiveConcurrency {
  #limit: number;
  #active = 0;
  #activeHeavy = 0;
  #wasHeavy = false;
  readonly #waitingLight: WaitingRequest[] = [];
  readonly #waitingHeavy: WaitingRequest[] = [];
  /** Weight of the requests that succeeded in this window. */
  #movedWeight = 0;
  #windowStart: number;
  #bestRate = 0;
  #bestLimit: number;
  #restWindows = 0;
  #noBackOffUntil = 0;
  /** Whether the limit was reached in this window. The throughput of an unused limit means nothing. */
  #wasReached = false;
  readonly #now: () => number;
  readonly #max: number;
  readonly #window: number;
  readonly #adapts: boolean;

  constructor(options: AdaptiveConcurrencyOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#max = options.max ?? 128;
    this.#window = options.window ?? 200;
    this.#adapts = options.fixed === undefined;
    this.#limit = options.fixed ?? Math.min(options.start ?? 16, this.#max);
    this.#bestLimit = this.#limit;
    this.#windowStart = this.#now();
  }

  get limit(): number {
    return this.#limit;
  }

  /**
   * Takes a slot for one request. Returns a promise only when no slot is free.
   * @param weight bytes of the request's body
   */
  acquire(signal: AbortSignal, weight: number): void | Promise<void> {
    if (this.#active < this.#limit && !this.#hasWaiting) return this.#start(weight > HEAVY_MIN);
    this.#wasReached = true;
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal));
      const queue = weight > HEAVY_MIN ? this.#waitingHeavy : this.#waitingLight;
      queue.push({ start: resolve, fail: reject, signal });
      return undefined;
    });
  }

  /** Returns the slot. A failed request does not count for the throughput. @param weight as given to `acquire` */
  release(weight: number, succeeded: boolean): void {
    this.#active--;
    if (weight > HEAVY_MIN) this.#activeHeavy--;
    if (succeeded) this.#movedWeight += weight + REQUEST_WEIGHT;
    if (this.#adapts) this.#adapt();
    this.#startWaiting();
  }

  /** Rejects the waiting requests of an aborted signal. */
  rejectWaiting(signal: AbortSignal): void {
    for (const queue of [this.#waitingLight, this.#waitingHeavy])
      for (let index = queue.length - 1; index >= 0; index--)
        if (queue[index]!.signal === signal) queue.splice(index, 1)[0]!.fail(abortError(signal));
  }

  /** Halves the limit after a throttling response, at most once a second. */
  backOff(): void {
    const now = this.#now();
    if (!this.#adapts || now < this.#noBackOffUntil) return;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    this.#bestLimit = this.#limit;
    this.#bestRate = 0;
    this.#restWindows = REST_WINDOWS;
    this.#noBackOffUntil = now + BACK_OFF_PAUSE_MS;
    this.#startWindow(now);
  }

  #adapt(): void {
    const now = this.#now();
    if (now - this.#windowStart < this.#window) return;
    const rate = this.#movedWeight / (now - this.#windowStart);
    const wasReached = this.#wasReached;
    this.#startWindow(now);
    if (!wasReached) return;
    if (this.#restWindows > 0) {
      this.#restWindows--;
      // The next step is compared with the current throughput, since network speed changes by itself.
      this.#bestRate = rate;
      return;
    }
    if (rate > this.#bestRate * MIN_GAIN) {
      this.#bestRate = rate;
      this.#bestLimit = this.#limit;
      this.#limit = Math.min(this.#max, Math.ceil(this.#limit * GROWTH));
      if (this.#limit === this.#bestLimit) this.#restWindows = REST_WINDOWS;
    } else {
      this.#limit = this.#bestLimit;
      this.#restWindows = REST_WINDOWS;
    }
  }

  #startWindow(now: number): void {
    this.#windowStart = now;
    this.#movedWeight = 0;
    this.#wasReached = this.#hasWaiting;
  }

  get #hasWaiting(): boolean {
    return this.#waitingLight.length + this.#waitingHeavy.length > 0;
  }

  /** Whether the next slot goes to a heavy request while light ones wait too. A single slot alternates. */
  get #isHeavyNext(): boolean {
    if (this.#limit === 1) return !this.#wasHeavy;
    return this.#activeHeavy < this.#limit - Math.ceil(this.#limit / LIGHT_SHARE);
  }

  #start(isHeavy: boolean): void {
    this.#active++;
    this.#wasHeavy = isHeavy;
    if (isHeavy) this.#activeHeavy++;
  }

  #startWaiting(): void {
    while (this.#active < this.#limit && this.#hasWaiting) {
      const isHeavy = this.#waitingHeavy.length > 0 && (this.#waitingLight.length === 0 || this.#isHeavyNext);
      const next = (isHeavy ? this.#waitingHeavy : this.#waitingLight).shift()!;
      if (next.signal.aborted) next.fail(abortError(next.signal));
      else {
        this.#start(isHeavy);
        next.start();
      }
    }
  }
}
