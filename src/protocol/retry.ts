/** Delays of an exponential back-off, in milliseconds. */
export interface Backoff {
  /** Longest delay before the second attempt, apart from `Retry-After`. It doubles with every attempt. */
  baseDelayMs: number;
  /** Longest delay between two attempts, apart from `Retry-After`. */
  maxDelayMs: number;
}

/**
 * Computes the delay before the next attempt: an exponential delay with full jitter, after the time that the server asked for.
 * Jitter prevents many clients from returning at once.
 * @param failures failed attempts so far, at least 1
 * @param retryAfter seconds from `Retry-After`
 * @param random returns a number from 0 to 1
 * @returns milliseconds before the next attempt
 * @see https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
 */
export function backoffDelay(
  failures: number,
  { baseDelayMs, maxDelayMs }: Backoff,
  retryAfter = 0,
  random = Math.random,
): number {
  return retryAfter * 1000 + random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (failures - 1));
}
