import { DatabaseUnavailable } from './database-unavailable.js';

/** A slower response is too inaccurate. ms */
const MAX_RESPONSE_TIME = 5000;

/**
 * The database's clock, which all replicas share. It is measured from time to time and continued by the monotonic clock of this machine, so a
 * change of the system time does not affect it.
 */
export class SharedClock {
  /** The database's time when `performance.now()` was `at`. ms */
  #base: { time: number; at: number } | undefined;

  /** @param readTime reads the database's time, ms since 1970. */
  constructor(private readonly readTime: () => Promise<number>) {}

  /** ms since 1970. */
  now(): number {
    if (!this.#base) throw new Error('measure the clock before its first use');
    return Math.round(this.#base.time + performance.now() - this.#base.at);
  }

  /** Measures the clock. @returns how far this machine's clock is ahead of the database's, ms; negative if it is behind. */
  async measure(localNow: () => number): Promise<number> {
    const before = performance.now();
    const time = await this.readTime();
    const took = performance.now() - before;
    if (took > MAX_RESPONSE_TIME && this.#base) throw new DatabaseUnavailable('The database is too slow to tell the time.');
    this.#base = { time: time + took / 2, at: before + took };
    return Math.round(localNow() - this.#base.time);
  }
}
