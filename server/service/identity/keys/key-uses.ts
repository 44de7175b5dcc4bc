import type { Metadata } from '../../drivers/metadata/metadata.js';

/** The time of the last use of a key is written at most once in this interval, by all replicas together. */
const WRITE_INTERVAL_MS = 5 * 60_000;
/** Uses of different keys are collected for this long and written together. */
const COLLECT_MS = 5000;

/**
 * Records when keys were last used. Authentication only notes the time in memory, so no request waits for a write. A crash may lose the uses of
 * the last seconds.
 */
export class KeyUses {
  /** Times that are not written yet, by key. */
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** @param lastUsedAt the stored time, which every authentication reads anyway. */
  record(id: string, lastUsedAt: number | null): void {
    if (this.#pending.has(id)) return;
    const now = this.now();
    if (lastUsedAt !== null && now < lastUsedAt + WRITE_INTERVAL_MS) return;
    this.#pending.set(id, now);
    this.#timer ??= setTimeout(() => void this.flush(), COLLECT_MS).unref();
  }

  /** Returns the later one of the stored time and the time that this process has not written yet. */
  lastUsedAt(id: string, stored: number | null): number | null {
    return this.#pending.get(id) ?? stored;
  }

  /** Writes the collected times. If the database is unavailable, they are lost, and the next use of each key is recorded again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One order of row locks, so that replicas do not deadlock.
    const uses = [...this.#pending].sort(([a], [b]) => (a < b ? -1 : 1));
    if (uses.length === 0) return;
    await this.metadata.write((query) => writeUses(query, uses), { durable: false }).catch(() => {});
    for (const [id] of uses) this.#pending.delete(id);
  }
}

async function writeUses(query: Metadata['db'], uses: readonly (readonly [id: string, time: number])[]): Promise<void> {
  for (const [id, time] of uses)
    await query
      .updateTable('api_keys')
      .set({ last_used_at: time })
      .where('id', '=', id)
      .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', time)]))
      .execute();
}
