/** Limits and delays of attempts. All times are in milliseconds. */
export interface RetryPolicy {
  /** Failed attempts after which a file fails. Attempts during an outage do not count. */
  maxAttempts: number;
  /** Longest delay before the second attempt, apart from `Retry-After`. It doubles with each attempt. */
  baseDelayMs: number;
  /** Longest delay before any attempt, apart from `Retry-After`. */
  maxDelayMs: number;
  /** Longest wait for a service that is out of reach, or that asks for a pause. Then the file fails. */
  maxWaitMs: number;
}

/** Ten attempts take about a minute, which a restarted service may need. */
export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 10, baseDelayMs: 500, maxDelayMs: 30_000, maxWaitMs: 600_000 };
