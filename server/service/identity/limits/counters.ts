import { sql } from 'kysely';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import type { Window } from './windows.js';

/** A lease is the limit divided by this number. */
const LEASES_PER_LIMIT = 100;
/** Interval in which counters of past windows are deleted. */
const CLEANUP_INTERVAL_MS = 600_000;
/** Leases of windows up to this length are not returned, because the window ends before a restart does. */
const SHORT_WINDOW_MS = 60_000;

/** Requests of a window that this process may grant without asking the database. */
interface Lease {
  /** Requests that can still be granted. */
  remaining: number;
  /** Requests of all replicas, including `remaining`. */
  used: number;
  /** Requests of the last lease above the limit. They are counted in the database but never granted. */
  excess: number;
  /** End of the window. ms since 1970 */
  end: number;
  /** Whether unused requests are not returned. */
  isShort: boolean;
  /** A running database update. Other requests wait for it. */
  renewal: Promise<void> | undefined;
}

const idOf = (name: string, { start }: Window): string => `${name}:${start}`;

/** The result of counting a request. */
export interface Count {
  granted: boolean;
  used: number;
}

/** Adds to a counter in the database, atomically for all replicas. @param end when the counter may be deleted, ms. @returns the new value. */
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
 * Counts requests for all replicas together. Each replica leases a hundredth of the limit from the database, so the limit is never exceeded and few
 * requests cost a write. A stopping replica returns the unused rest of its leases. After a kill, the rest is lost until the window ends.
 */
export class Counters {
  readonly #leases = new Map<string, Lease>();
  #nextCleanup = 0;

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Counts one request. @param name of the counter. @param limit requests per window. */
  async increment(name: string, window: Window, limit: number): Promise<Count> {
    const id = idOf(name, window);
    const lease = this.#leases.get(id) ?? this.#addLease(id, window);
    while (lease.remaining === 0) {
      if (lease.used >= limit) return { granted: false, used: limit };
      await this.#renew(id, lease, limit);
    }
    lease.remaining -= 1;
    return { granted: true, used: lease.used - lease.remaining };
  }

  /** Returns the number of requests, as last seen by this process, without counting one. */
  async read(name: string, window: Window, limit: number): Promise<number> {
    const id = idOf(name, window);
    let lease = this.#leases.get(id);
    if (!lease) await this.#renew(id, (lease = this.#addLease(id, window)), limit);
    return lease.used - lease.remaining;
  }

  #addLease(id: string, { start, end }: Window): Lease {
    const lease: Lease = { remaining: 0, used: 0, excess: 0, end, isShort: end - start <= SHORT_WINDOW_MS, renewal: undefined };
    this.#leases.set(id, lease);
    return lease;
  }

  #renew(id: string, lease: Lease, limit: number): Promise<void> {
    lease.renewal ??= this.#lease(id, lease, limit).finally(() => (lease.renewal = undefined));
    return lease.renewal;
  }

  /** Returns unused leases to the database. Call it last. If the database is unavailable, they are lost until the window ends. */
  async close(): Promise<void> {
    const now = this.now();
    const returnable = [...this.#leases].filter(([, { isShort, end }]) => !isShort && end > now);
    await Promise.all(returnable.map(([id, lease]) => this.#returnUnused(id, lease).catch(() => {})));
  }

  async #returnUnused(id: string, lease: Lease): Promise<void> {
    await lease.renewal;
    const unused = lease.remaining + lease.excess;
    lease.remaining = lease.excess = 0;
    if (unused > 0) await addToCounter(this.metadata, id, lease.end, -unused);
  }

  async #lease(id: string, lease: Lease, limit: number): Promise<void> {
    this.#deletePastWindows();
    const requested = Math.ceil(limit / LEASES_PER_LIMIT);
    const used = await addToCounter(this.metadata, id, lease.end, requested);
    const before = Math.min(used - requested, limit);
    lease.used = Math.min(used, limit);
    lease.remaining = lease.used - before;
    lease.excess = requested - lease.remaining;
  }

  #deletePastWindows(): void {
    const now = this.now();
    if (now < this.#nextCleanup) return;
    this.#nextCleanup = now + CLEANUP_INTERVAL_MS;
    for (const [id, lease] of this.#leases) if (lease.end <= now) this.#leases.delete(id);
    // If this fails, the next cleanup deletes them.
    this.metadata
      .write((query) => query.deleteFrom('counters').where('ends_at', '<=', this.metadata.clock).execute(), { durable: false })
      .catch(() => {});
  }
}
