import { backoffDelay } from '../../protocol/retry.js';
import type { S3Error } from '../errors.js';
import type { RetryOptions } from './run-options.js';

/** Longest `Retry-After` that is honoured, in seconds. */
const RETRY_AFTER_MAX = 60;
/** Share of a retry that one successful request adds to the budget. */
const EARNED_BY_SUCCESS = 0.1;

/** Counts the retries of a transfer and computes the delay before each. */
export class RetryBudget {
  readonly maxTries: number;
  /** See `RetryOptions.patience`. */
  readonly patience: number;
  /** Retries spent so far. */
  used = 0;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #size: number;
  #left: number;

  constructor(options: RetryOptions = {}) {
    this.maxTries = options.tries ?? 8;
    this.#baseDelayMs = options.baseDelay ?? 100;
    this.#maxDelayMs = options.maxDelay ?? 20_000;
    this.#size = options.budget ?? 500;
    this.#left = this.#size;
    this.patience = options.patience ?? 0;
  }

  /** Earns back part of a retry. */
  succeeded(): void {
    if (this.#left < this.#size) this.#left = Math.min(this.#size, this.#left + EARNED_BY_SUCCESS);
  }

  /** Spends one retry. @returns false when none is left. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    this.used++;
    return true;
  }

  /** Milliseconds before the next attempt. @param tries failed attempts so far, at least 1 */
  delay(tries: number, error: S3Error, random = Math.random): number {
    const retryAfter = Math.min(error.retryAfter ?? 0, RETRY_AFTER_MAX);
    return backoffDelay(tries, { baseDelayMs: this.#baseDelayMs, maxDelayMs: this.#maxDelayMs }, retryAfter, random);
  }
}
