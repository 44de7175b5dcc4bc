import type { Metadata } from '../../drivers/metadata/metadata.js';

/** How often a process says that its uploads are alive. ms */
export const HEARTBEAT_INTERVAL = 30_000;
/** A process that has not said for this long that its uploads are alive counts as dead. ms */
export const DEAD_AFTER = 120_000;

/** The signs of life of this process, without which other replicas undo its uploads. */
export class Heartbeat {
  /** Since when every beat succeeded and none was late, and the last of them, see `performance.now()`. */
  #steady: { since: number; last: number } | undefined;

  async beat({ metadata, replica }: { metadata: Metadata; replica: string }): Promise<void> {
    try {
      await metadata.write(
        (query) => {
          // A reservation that another transaction holds is being committed or undone.
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
   * Whether silence of other processes means their death. After an outage of the database, or a pause of this process, all signs of life are old,
   * and the others get as much time for a new one as ever.
   */
  canDetectDeadReplicas(): boolean {
    const now = performance.now();
    return this.#isSteady(now) && now - this.#steady!.since >= DEAD_AFTER;
  }

  #isSteady(now: number): boolean {
    return this.#steady !== undefined && now - this.#steady.last <= 2 * HEARTBEAT_INTERVAL;
  }
}
