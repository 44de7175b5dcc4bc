import { backoffDelay } from '../protocol/retry.js';

/** Limits and delays of attempts. All times are in milliseconds. */
export interface RetryPolicy {
  /** Failed attempts after which a file fails. Attempts during an outage do not count. */
  tries: number;
  /** Longest delay before the second attempt. It doubles with each attempt. */
  base: number;
  /** Longest delay before any attempt. */
  cap: number;
  /** Longest wait for a service that is out of reach, or that asks for a pause. Then the file fails. */
  patience: number;
}

/** Ten attempts take about a minute, which a restarted service may need. */
export const DEFAULT_RETRY: RetryPolicy = { tries: 10, base: 500, cap: 30_000, patience: 600_000 };

/**
 * Computes the delay before the next attempt in milliseconds: the time that the service stated, plus an exponential delay with full
 * jitter, so that many clients do not return at the same time.
 * @param failures failed attempts so far, at least 1
 * @param retryAfter seconds that the service stated
 */
export function retryDelay(failures: number, policy: RetryPolicy, retryAfter?: number, random = Math.random): number {
  return backoffDelay(failures, policy, retryAfter, random);
}
