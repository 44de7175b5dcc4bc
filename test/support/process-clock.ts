const realNow = Date.now;

/**
 * Puts `Date.now` of this process forward. Timers and monotonic clocks go on as before. A second call replaces the first.
 *
 * @param time in milliseconds; 0 resets the clock
 */
export function putClockForward(time: number): void {
  Date.now = time === 0 ? realNow : () => realNow() + time;
}

/** Resets the clock of this process. */
export const resetClock = (): void => putClockForward(0);

/** @returns milliseconds until the next minute, so that a test whose clock is put forward by them has a whole minute */
export const untilFreshMinute = (): number => 60_000 - (realNow() % 60_000);
