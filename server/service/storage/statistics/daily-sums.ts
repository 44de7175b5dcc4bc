import { sql } from 'kysely';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { readSums } from '../files/usage.js';

export const DAY_MS = 86_400_000;
/** Sums are kept for this long. */
export const DAILY_SUMS_DAYS = 400;
/** Sums are collected for this long and written together. A kill loses them. */
const COLLECT_MS = 5000;

/** Requests, traffic and uploads of an account. */
export interface DailySum {
  requests: number;
  /** Responses with an error status. */
  errors: number;
  /** Bytes that clients sent and received, with headers. */
  bytesIn: number;
  bytesOut: number;
  uploads: number;
  failedUploads: number;
}

export interface DayRecord extends DailySum {
  /** Days since 1970 in UTC. */
  day: number;
  /** Stored files and bytes at the end of the day; null before the first record. */
  files: number | null;
  bytes: number | null;
}

const NOTHING: DailySum = { requests: 0, errors: 0, bytesIn: 0, bytesOut: 0, uploads: 0, failedUploads: 0 };

/** Adds up the requests, traffic and uploads of each account and day. Requests only add in memory. */
export class DailySums {
  /** Sums that are not written yet, by account, then by day. */
  #pending = new Map<string, Map<number, DailySum>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Adds to the sums of today. */
  add(accountId: string, change: Partial<DailySum>): void {
    this.#addTo(accountId, Math.floor(this.now() / DAY_MS), change);
    this.#timer ??= setTimeout(() => void this.flush(), COLLECT_MS).unref();
  }

  #addTo(accountId: string, day: number, change: Partial<DailySum>): void {
    const days = this.#pending.get(accountId) ?? new Map<number, DailySum>();
    this.#pending.set(accountId, days);
    const sum = { ...NOTHING, ...days.get(day) };
    for (const [name, value] of Object.entries(change) as [keyof DailySum, number][]) sum[name] += value;
    days.set(day, sum);
  }

  /** Counts an upload by its outcome. A repeat of an earlier upload does not count. */
  async countUpload<T extends { repeated: boolean }>(accountId: string, upload: Promise<T>): Promise<T> {
    try {
      const result = await upload;
      if (!result.repeated) this.add(accountId, { uploads: 1 });
      return result;
    } catch (cause) {
      this.add(accountId, { failedUploads: 1 });
      throw cause;
    }
  }

  /** Writes the collected sums in one transaction. If the database is unavailable, they are written later. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = new Map();
    if (pending.size === 0) return;
    try {
      // One order of row locks, so that replicas do not deadlock.
      const accounts = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
      await this.metadata.write(
        async (query) => {
          for (const [accountId, days] of accounts) await writeSums(query, accountId, days);
        },
        { durable: false },
      );
    } catch {
      for (const [accountId, days] of pending) for (const [day, sum] of days) this.#addTo(accountId, day, sum);
      this.#timer ??= setTimeout(() => void this.flush(), COLLECT_MS).unref();
    }
  }

  /** Reads the last days of an account, oldest first, with today as the last one. */
  async read(accountId: string, days: number): Promise<DayRecord[]> {
    const { db } = this.metadata;
    const today = Math.floor(this.now() / DAY_MS);
    const first = today - days + 1;
    const rows = await db
      .selectFrom('daily_sums')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('day', '>=', first)
      .where('day', '<=', today)
      .execute();
    const byDay = new Map(rows.map((row) => [row.day, row]));
    const earlier = db.selectFrom('daily_sums').select(['files', 'bytes']).where('account_id', '=', accountId);
    let stored: { files: number; bytes: number } | undefined = await earlier
      .where('day', '<', first)
      .orderBy('day', 'desc')
      .limit(1)
      .executeTakeFirst();
    const current = await readSums(db, accountId);
    return Array.from({ length: days }, (_, index) => {
      const day = first + index;
      const row = byDay.get(day);
      // Files do not change on a day without a record, except those that expire.
      stored = day === today ? current : (row ?? stored);
      return {
        day,
        requests: row?.requests ?? 0,
        errors: row?.errors ?? 0,
        bytesIn: row?.bytes_in ?? 0,
        bytesOut: row?.bytes_out ?? 0,
        uploads: row?.uploads ?? 0,
        failedUploads: row?.failed_uploads ?? 0,
        files: stored?.files ?? null,
        bytes: stored?.bytes ?? null,
      };
    });
  }
}

async function writeSums(query: Query, accountId: string, days: ReadonlyMap<number, DailySum>): Promise<void> {
  const { files, bytes } = await readSums(query, accountId);
  for (const [day, sum] of [...days].sort(([a], [b]) => a - b))
    await query
      .insertInto('daily_sums')
      .values({
        account_id: accountId,
        day,
        requests: sum.requests,
        errors: sum.errors,
        bytes_in: sum.bytesIn,
        bytes_out: sum.bytesOut,
        uploads: sum.uploads,
        failed_uploads: sum.failedUploads,
        files,
        bytes,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day']).doUpdateSet({
          requests: sql`daily_sums.requests + excluded.requests`,
          errors: sql`daily_sums.errors + excluded.errors`,
          bytes_in: sql`daily_sums.bytes_in + excluded.bytes_in`,
          bytes_out: sql`daily_sums.bytes_out + excluded.bytes_out`,
          uploads: sql`daily_sums.uploads + excluded.uploads`,
          failed_uploads: sql`daily_sums.failed_uploads + excluded.failed_uploads`,
          files: sql`excluded.files`,
          bytes: sql`excluded.bytes`,
        }),
      )
      .execute();
}
