import { DatabaseUnavailable } from './database-unavailable.js';

/** An answer that takes longer says too little about the time. ms */
const ANSWER_WITHIN = 5000;

/**
 * The database's clock, which all replicas share, without a question each time: measured now and then, and carried on by this machine's
 * monotonic clock. Nobody who sets this machine's clock changes it.
 */
export class SharedClock {
  /** The database's time when the monotonic clock showed `at`, both ms. */
  #base: { time: number; at: number } | undefined;

  /** @param ask the database's time, ms since 1970. */
  constructor(private readonly ask: () => Promise<number>) {}

  /** ms since 1970. */
  now(): number {
    if (!this.#base) throw new Error('measure the clock before its first use');
    return Math.round(this.#base.time + performance.now() - this.#base.at);
  }

  /** @returns by how much this machine's clock is ahead of the database's, ms; negative: behind. */
  async measure(localNow: () => number): Promise<number> {
    const before = performance.now();
    const time = await this.ask();
    const took = performance.now() - before;
    if (took > ANSWER_WITHIN && this.#base) throw new DatabaseUnavailable('The database is too slow to tell the time.');
    this.#base = { time: time + took / 2, at: before + took };
    return Math.round(localNow() - this.#base.time);
  }
}
