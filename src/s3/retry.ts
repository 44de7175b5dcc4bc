import type { S3Error } from './errors.js';

/** How often and how long to try again. Times in milliseconds. */
export interface RetryOptions {
  /** Requests made for one thing before it counts as failed. @default 8 */
  tries?: number;
  /** @default 100 */
  baseDelay?: number;
  /** @default 20000 */
  maxDelay?: number;
  /**
   * Retries a run may spend beside one for every ten requests that succeed: a store that is down is not hammered by
   * every file in turn. @default 500
   */
  budget?: number;
  /**
   * How long a store is waited for that had answered before and now answers nobody: a gateway that starts anew is no fault of the
   * files that are under way. Such repetitions cost neither tries nor budget. @default 0
   */
  patience?: number;
}

/** A store that is away for less is not worth a word. */
const SAY_AFTER = 2000;

/** What is left of a run's retries. */
export class RetryBudget {
  readonly tries: number;
  readonly #base: number;
  readonly #max: number;
  #left: number;
  readonly #full: number;
  used = 0;
  /** Requests that succeeded so far. */
  successes = 0;
  readonly #patience: number;
  #awaySince: number | undefined;
  #said = false;

  constructor(options: RetryOptions = {}) {
    this.tries = options.tries ?? 8;
    this.#base = options.baseDelay ?? 100;
    this.#max = options.maxDelay ?? 20_000;
    this.#full = options.budget ?? 500;
    this.#left = this.#full;
    this.#patience = options.patience ?? 0;
  }

  succeeded(): void {
    this.successes++;
    this.#awaySince = undefined;
    this.#said = false;
    if (this.#left < this.#full) this.#left = Math.min(this.#full, this.#left + 0.1);
  }

  /** Spends one retry. @returns false when none is left. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.used++;
    return true;
  }

  /**
   * Whether the store is away, and is to be waited for: nobody's request succeeded while this one was tried.
   * @param before `successes` when it began
   * @returns milliseconds until the next try, `over` when the patience is, undefined when the store is there; `say`: once an outage.
   */
  away(before: number, random = Math.random): { delay: number; say: boolean } | 'over' | undefined {
    if (this.#patience === 0 || before === 0 || before !== this.successes) return undefined;
    const since = performance.now() - (this.#awaySince ??= performance.now());
    if (since > this.#patience) return 'over';
    this.used++;
    const say = since > SAY_AFTER && !this.#said;
    this.#said ||= say;
    return { delay: (0.5 + random()) * Math.min(5000, 250 + since / 4), say };
  }

  /** Exponential with full jitter, never below what the store asks for (`Retry-After`, at most 60 s of it). */
  delay(tries: number, error: S3Error, random = Math.random): number {
    const ceiling = Math.min(this.#max, this.#base * 2 ** (tries - 1));
    const asked = Math.min((error.retryAfter ?? 0) * 1000, 60_000);
    return asked + random() * ceiling;
  }
}
