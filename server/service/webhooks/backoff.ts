const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Time between two attempts. The last attempt is 23.7 hours after the first, plus the jitter. */
const DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR];
/** A delay is up to this share longer, so that deliveries that failed together do not return together. */
const JITTER = 0.1;

/**
 * Returns the time until the next attempt, ms; undefined if there is none.
 * @param attempts that failed, at least 1.
 */
export function delayAfter(attempts: number, random: () => number = Math.random): number | undefined {
  const delay = DELAYS_MS[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 + JITTER * random()));
}
