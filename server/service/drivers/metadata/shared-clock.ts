import { DatabaseUnavailable } from './database-unavailable.js';

/** A slower response is too inaccurate. */
const MAX_RESPONSE_TIME_MS = 5000;

/**
 * The time of a response is wrong by up to half of its duration, so the fastest of several counts. The first may have to open a connection, and
 * replicas whose clocks differ would record changes in another order than they happened (https://doi.org/10.1007/BF01784024).
 */
const READS = 4;

interface Reading {
  /** The database's time, ms since 1970. */
  time: number;
  /** Duration of the response, ms. */
  duration: number;
  /** The time of the response in terms of `performance.now()`. */
  measuredAt: number;
}

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
    let fastest = await this.#read();
    for (let count = 1; count < READS; count++) {
      const reading = await this.#read();
      if (reading.duration < fastest.duration) fastest = reading;
    }
    const { time, duration, measuredAt } = fastest;
    if (duration > MAX_RESPONSE_TIME_MS && this.#base)
      throw new DatabaseUnavailable(`The database took ${Math.round(duration)} ms to return its time.`);
    this.#base = { time: time + duration / 2, measuredAt };
    return Math.round(localNow() - this.now());
  }

  async #read(): Promise<Reading> {
    const startedAt = performance.now();
    const time = await this.readTime();
    const measuredAt = performance.now();
    return { time, duration: measuredAt - startedAt, measuredAt };
  }
}
