import type { Backoff } from '../protocol/retry.js';

/** Limits and delays of attempts. All times are in milliseconds. */
export interface RetryPolicy extends Backoff {
  /** Failed attempts after which a file fails. Attempts during an outage do not count. */
  maxAttempts: number;
  /** Longest wait for a service that is out of reach, or that asks for a pause. Then the file fails. */
  maxWaitMs: number;
}

/** Ten attempts take about a minute, which a restarted service may need. */
export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 10, baseDelayMs: 500, maxDelayMs: 30_000, maxWaitMs: 600_000 };
