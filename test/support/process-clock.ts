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

/** @returns milliseconds until the next minute if fewer than ten seconds of this one remain, otherwise 0 */
export function untilFreshMinute(): number {
  const left = 60_000 - (Date.now() % 60_000);
  return left < 10_000 ? left : 0;
}
