import type { Selectable } from 'kysely';
import type { BreakdownsTable } from '../../drivers/metadata/statistics-tables.js';
import type { Storage } from '../../identity/credential.js';
import { settleWithin } from '../../runtime/settle-within.js';
import type { StorageContext } from '../context.js';
import { computeBreakdown } from './breakdown.js';
import type { Breakdown } from './breakdown.js';

/** A breakdown is computed again when it is older. */
const MAX_AGE_MS = 600_000;
/** A request waits this long for a breakdown. That suffices for most accounts. */
const WAIT_MS = 300;
/** Buckets that a process reads at once. Others wait for a repeat of the request. */
const MAX_RUNNING = 4;
/** A process that dies keeps the breakdown for this long. */
const LEASE_MS = 60_000;

export interface BreakdownState extends Breakdown {
  /** ms since 1970; null if none was computed yet. */
  computedAt: number | null;
  /** Whether a newer one is being computed. */
  isComputing: boolean;
}

/** Computes the largest folders and types of buckets in the background, on one replica at a time, and keeps them in the database. */
export class Breakdowns {
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(private readonly context: StorageContext) {}

  /** Reads the last breakdown, and starts a new one if it is old. */
  async read(storage: Storage): Promise<BreakdownState> {
    const row = await this.#row(storage);
    const isOld = row?.computed_at == null || row.computed_at + MAX_AGE_MS < this.context.now();
    if (!isOld) return this.#stateOf(row);
    const { bucketId } = storage;
    if (!this.#running.has(bucketId) && this.#running.size >= MAX_RUNNING) return { ...this.#stateOf(row), isComputing: true };
    await settleWithin(WAIT_MS, this.#running.get(bucketId) ?? this.#start(storage));
    return this.#stateOf(await this.#row(storage));
  }

  /** Stops all computations. Another process or the next request starts them again. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  #start(storage: Storage): Promise<void> {
    const { bucketId } = storage;
    // A failure leaves the old breakdown. The next request tries again.
    const running = this.#compute(storage)
      .catch(() => {})
      .finally(() => this.#running.delete(bucketId));
    this.#running.set(bucketId, running);
    return running;
  }

  async #compute(storage: Storage): Promise<void> {
    if (!(await this.#claim(storage))) return;
    let renewAt = performance.now() + LEASE_MS / 3;
    try {
      const result = await computeBreakdown(this.context, storage, async () => {
        this.#stop.signal.throwIfAborted();
        if (performance.now() < renewAt) return;
        renewAt = performance.now() + LEASE_MS / 3;
        await this.#setLease(storage, LEASE_MS);
      });
      await this.context.metadata.write((query) =>
        query
          .updateTable('breakdowns')
          .set({ result_json: JSON.stringify(result), computed_at: this.context.now(), computing_until: null })
          .where('bucket_id', '=', storage.bucketId)
          .execute(),
      );
    } catch (cause) {
      await this.#setLease(storage, 0);
      throw cause;
    }
  }

  /** @returns whether this process computes the breakdown. */
  async #claim({ bucketId }: Storage): Promise<boolean> {
    const { metadata } = this.context;
    const claimed = await metadata.write(
      (query) =>
        query
          .insertInto('breakdowns')
          .values((e) => ({
            bucket_id: bucketId,
            result_json: null,
            computed_at: null,
            computing_until: e(metadata.clock, '+', LEASE_MS),
          }))
          .onConflict((conflict) =>
            conflict
              .column('bucket_id')
              .doUpdateSet((e) => ({ computing_until: e.ref('excluded.computing_until') }))
              .where((e) =>
                e.or([e('breakdowns.computing_until', 'is', null), e('breakdowns.computing_until', '<', metadata.clock)]),
              ),
          )
          .returning('bucket_id')
          .executeTakeFirst(),
      { durable: false },
    );
    return claimed !== undefined;
  }

  async #setLease({ bucketId }: Storage, ms: number): Promise<void> {
    const { metadata } = this.context;
    await metadata.write(
      (query) =>
        query
          .updateTable('breakdowns')
          .set((e) => ({ computing_until: e(metadata.clock, '+', ms) }))
          .where('bucket_id', '=', bucketId)
          .execute(),
      { durable: false },
    );
  }

  #row({ bucketId }: Storage) {
    return this.context.metadata.db.selectFrom('breakdowns').selectAll().where('bucket_id', '=', bucketId).executeTakeFirst();
  }

  #stateOf(row: Selectable<BreakdownsTable> | undefined): BreakdownState {
    const result = JSON.parse(row?.result_json ?? '{"folders":[],"types":[]}') as Breakdown;
    const isComputing = row?.computing_until != null && row.computing_until > this.context.now();
    return { ...result, computedAt: row?.computed_at ?? null, isComputing };
  }
}
