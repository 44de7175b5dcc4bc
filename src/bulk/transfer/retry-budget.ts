import type { S3Error } from '../errors.js';

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
   * How long a store is waited for that had answered before and now answers nobody, in milliseconds: a gateway that starts anew is no
   * fault of the files that are under way. Such repetitions cost neither tries nor budget. @default 0
   */
  patience?: number;
}

/** What is left of a run's retries. */
export class RetryBudget {
  readonly tries: number;
  readonly #base: number;
  readonly #max: number;
  #left: number;
  readonly #full: number;
  used = 0;
  readonly patience: number;

  constructor(options: RetryOptions = {}) {
    this.tries = options.tries ?? 8;
    this.#base = options.baseDelay ?? 100;
    this.#max = options.maxDelay ?? 20_000;
    this.#full = options.budget ?? 500;
    this.#left = this.#full;
    this.patience = options.patience ?? 0;
  }

  succeeded(): void {
    if (this.#left < this.#full) this.#left = Math.min(this.#full, this.#left + 0.1);
  }

  /** Spends one retry. @returns false when none is left. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.used++;
    return true;
  }

  /** Exponential with full jitter, never below what the store asks for (`Retry-After`, at most 60 s of it). */
  delay(tries: number, error: S3Error, random = Math.random): number {
    const ceiling = Math.min(this.#max, this.#base * 2 ** (tries - 1));
    const asked = Math.min((error.retryAfter ?? 0) * 1000, 60_000);
    return asked + random() * ceiling;
  }
}
