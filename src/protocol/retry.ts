/** Delays of an exponential back-off, in milliseconds. */
export interface Backoff {
  /** Longest delay before the second attempt. It doubles with every attempt. */
  base: number;
  /** Longest delay between two attempts. */
  cap: number;
}

/**
 * Computes an exponential delay with full jitter on top of what the server asked for, so that many clients do not return at once.
 * @param failures failed attempts so far, at least 1
 * @param retryAfter seconds from `Retry-After`
 * @returns milliseconds before the next attempt
 */
export function backoffDelay(failures: number, { base, cap }: Backoff, retryAfter = 0, random = Math.random): number {
  return retryAfter * 1000 + random() * Math.min(cap, base * 2 ** (failures - 1));
}
