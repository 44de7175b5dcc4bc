import { DatabaseUnavailable } from './database-unavailable.js';

/** A slower response is too inaccurate. */
const MAX_RESPONSE_TIME_MS = 5000;

/**
 * The database's clock, which all replicas share. It is measured from time to time and continued by the monotonic clock of this machine, so a
 * change of the system time does not affect it.
 */
export class SharedClock {
  /** The database's time in milliseconds since 1970, when `performance.now()` was `measuredAt`. */
  #base: { time: number; measuredAt: number } | undefined;

  /** @param readTime reads the database's time, ms since 1970. */
  constructor(private readonly readTime: () => Promise<number>) {}

  /** ms since 1970. */
  now(): number {
    if (!this.#base) throw new Error('measure the clock before its first use');
    return Math.round(this.#base.time + performance.now() - this.#base.measuredAt);
  }

  /** Measures the clock. @returns how far this machine's clock is ahead of the database's, ms; negative if it is behind. */
  async measure(localNow: () => number): Promise<number> {
    const startedAt = performance.now();
    const time = await this.readTime();
    const duration = performance.now() - startedAt;
    if (duration > MAX_RESPONSE_TIME_MS && this.#base)
      throw new DatabaseUnavailable(`The database took ${Math.round(duration)} ms to return its time.`);
    this.#base = { time: time + duration / 2, measuredAt: startedAt + duration };
    return Math.round(localNow() - this.#base.time);
  }
}
