/**
 * Puts `Date.now` of this process forward. Timers and monotonic clocks go on as before.
 *
 * @param time in milliseconds
 * @returns a function that resets the clock
 */
export function putClockForward(time: number): () => void {
  const { now } = Date;
  Date.now = () => now() + time;
  return () => void (Date.now = now);
}

/** @returns milliseconds until the next minute, so that a test whose clock is put forward by them has a whole minute */
export const untilFreshMinute = (): number => 60_000 - (Date.now() % 60_000);
