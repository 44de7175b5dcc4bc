import { backoffDelay } from '../protocol/retry.js';

/** How often and after what time a try is repeated. Times in milliseconds. */
export interface RetryPolicy {
  /** Failed tries after which a file is given up; those while the service cannot be reached do not count. */
  tries: number;
  /** Longest delay before the second try; it doubles from try to try. */
  base: number;
  /** Longest delay of all. */
  cap: number;
  /** How long a service that cannot be reached is waited for, or one that asks for a pause; then the person decides. */
  patience: number;
}

/** The tries of a service that answers with errors take about a minute: so long it may need to come back to itself. */
export const DEFAULT_RETRY: RetryPolicy = { tries: 10, base: 500, cap: 30_000, patience: 600_000 };

/**
 * Milliseconds before the next try: what the service asked for, and exponential delay with full jitter on top, so that many
 * clients do not return at once.
 * @param failures tries that failed so far, at least 1
 */
export function retryDelay(failures: number, policy: RetryPolicy, stated?: number, random = Math.random): number {
  return backoffDelay(failures, policy, stated, random);
}
