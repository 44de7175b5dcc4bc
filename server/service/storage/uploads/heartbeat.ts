import type { Metadata } from '../../drivers/metadata/metadata.js';

/** Interval of the heartbeats of a process. */
export const HEARTBEAT_INTERVAL_MS = 30_000;
/** A process without a heartbeat for this long counts as dead. */
export const DEAD_AFTER_MS = 120_000;

/** Records heartbeats for the uploads of this process. Other replicas release the uploads of a process without heartbeats. */
export class Heartbeat {
  /** Period in which every beat succeeded in time, up to the last beat. Values of `performance.now()`. */
  #steady: { since: number; last: number } | undefined;

  /** Updates the reservations of this process. */
  async beat({ metadata, replica }: { metadata: Metadata; replica: string }): Promise<void> {
    try {
      await metadata.write(
        (query) => {
          // A reservation that another transaction has locked is being committed or released.
          const own = metadata.forUpdateSkipLocked(query.selectFrom('reservations').select('id').where('replica', '=', replica));
          return query.updateTable('reservations').set({ alive_at: metadata.clock }).where('id', 'in', own).execute();
        },
        { durable: false, reserved: true },
      );
    } catch (cause) {
      this.#steady = undefined;
      throw cause;
    }
    const now = performance.now();
    this.#steady = { since: this.#isSteady(now) ? this.#steady!.since : now, last: now };
  }

  /**
   * Decides whether missing heartbeats mean that another process is dead. After an outage of the database, or a pause of this process, all
   * heartbeats are old. The other processes then get the full time for a new one.
   */
  canDetectDeadReplicas(): boolean {
    const now = performance.now();
    return this.#isSteady(now) && now - this.#steady!.since >= DEAD_AFTER_MS;
  }

  #isSteady(now: number): boolean {
    return this.#steady !== undefined && now - this.#steady.last <= 2 * HEARTBEAT_INTERVAL_MS;
  }
}
