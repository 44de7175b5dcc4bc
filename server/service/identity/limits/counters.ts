import { sql } from 'kysely';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import type { Window } from './windows.js';

/** So large a part of a limit is taken from the database at once. */
const SHARE = 100;
/** Counters of windows that are over go this often, ms. */
const CLEAN_EVERY = 600_000;
/** What is left of a window so short is not worth a write: it is over before a restart is. ms */
const SHORT = 60_000;

interface Lease {
  /** Taken from the database and not yet spent. */
  left: number;
  /** Of all replicas, with what is left here. */
  used: number;
  /** Of the last withdrawal, what the limit did not allow. */
  beyond: number;
  end: number;
  /** Over soon: nothing of it is given back. */
  isShort: boolean;
  /** A withdrawal under way; whoever comes meanwhile waits for it. */
  taking: Promise<void> | undefined;
}

const idOf = (name: string, { start }: Window): string => `${name}:${start}`;

/** How a counter stands after a request. */
export interface Count {
  granted: boolean;
  used: number;
}

/** Adds to a counter in the database, atomically for all replicas. @param end ms, when it is forgotten. @returns its new value. */
async function addToCounter(metadata: Metadata, id: string, end: number, change: number): Promise<number> {
  const row = await metadata.write(
    (query) =>
      query
        .insertInto('counters')
        .values({ id, used: change, ends_at: end })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ used: sql`counters.used + excluded.used` }))
        .returning('used')
        .executeTakeFirstOrThrow(),
    { durable: false },
  );
  return row.used;
}

/**
 * Counters that all replicas share. Each takes a hundredth of the limit from the database at a time and spends it by itself: the limit is
 * never passed, and one request in many costs a write. What a replica has taken of a day and not spent it gives back when it ends; a kill loses it
 * for the day.
 */
export class Counters {
  readonly #leases = new Map<string, Lease>();
  #cleanAt = 0;

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Counts one request under a name, in a window. */
  async take(name: string, window: Window, limit: number): Promise<Count> {
    const id = idOf(name, window);
    const lease = this.#leases.get(id) ?? this.#open(id, window);
    while (lease.left === 0) {
      // Nothing can be had any more before the window ends.
      if (lease.used >= limit) return { granted: false, used: limit };
      await this.#fill(id, lease, limit);
    }
    lease.left -= 1;
    return { granted: true, used: lease.used - lease.left };
  }

  /** How it stands, as this process last saw it; counts nothing. */
  async look(name: string, window: Window, limit: number): Promise<number> {
    const id = idOf(name, window);
    let lease = this.#leases.get(id);
    if (!lease) await this.#fill(id, (lease = this.#open(id, window)), limit);
    return lease.used - lease.left;
  }

  #open(id: string, { start, end }: Window): Lease {
    const lease: Lease = { left: 0, used: 0, beyond: 0, end, isShort: end - start <= SHORT, taking: undefined };
    this.#leases.set(id, lease);
    return lease;
  }

  #fill(id: string, lease: Lease, limit: number): Promise<void> {
    lease.taking ??= this.#withdraw(id, lease, limit).finally(() => (lease.taking = undefined));
    return lease.taking;
  }

  /** Gives back what was not spent, as the last thing. Where the database is away it is lost, as with a kill. */
  async close(): Promise<void> {
    const now = this.now();
    const lasting = [...this.#leases].filter(([, { isShort, end }]) => !isShort && end > now);
    await Promise.all(lasting.map(([id, lease]) => this.#giveBack(id, lease).catch(() => {})));
  }

  async #giveBack(id: string, lease: Lease): Promise<void> {
    await lease.taking;
    const unspent = lease.left + lease.beyond;
    lease.left = lease.beyond = 0;
    if (unspent > 0) await addToCounter(this.metadata, id, lease.end, -unspent);
  }

  async #withdraw(id: string, lease: Lease, limit: number): Promise<void> {
    this.#forget();
    const wanted = Math.ceil(limit / SHARE);
    const used = await addToCounter(this.metadata, id, lease.end, wanted);
    const before = Math.min(used - wanted, limit);
    lease.used = Math.min(used, limit);
    lease.left = lease.used - before;
    lease.beyond = wanted - lease.left;
  }

  #forget(): void {
    const now = this.now();
    if (now < this.#cleanAt) return;
    this.#cleanAt = now + CLEAN_EVERY;
    for (const [id, lease] of this.#leases) if (lease.end <= now) this.#leases.delete(id);
    // Left to the next round when it fails.
    this.metadata
      .write((query) => query.deleteFrom('counters').where('ends_at', '<=', this.metadata.clock).execute(), { durable: false })
      .catch(() => {});
  }
}
