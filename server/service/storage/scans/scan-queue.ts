import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import { randomText } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { fileScanned } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import { segmentsOf, toStoredFile } from '../files/file-rows.js';
import type { FileRow } from '../files/file-rows.js';
import { readSegments } from '../files/read.js';
import type { ScanPolicy } from './scan-policy.js';

/** A replica that dies gives its files back after this time. A running scan renews its lease. */
export const SCAN_LEASE_MS = 30_000;
/** A file that is too large is tried again after this time, because the operator may have raised the limit of the scanner. */
const RETRY_TOO_LARGE_MS = 86_400_000;

/** The result of a scan. `too_large`: the scanner does not read files of this size. */
export type ScanResult = { state: 'clean' | 'too_large' } | { state: 'infected'; signature: string };

/** A file that this process scans until its lease ends. */
export interface ScanTask {
  id: string;
  accountId: string;
  size: number;
  /** Failed scans of the same bytes. */
  attempts: number;
  lease: string;
  /** Opens the bytes, also of a file that is not delivered. */
  read(signal: AbortSignal): Promise<Readable>;
}

const findDue = preparedQuery<{ now: number }>()((query, { now }) =>
  query.selectFrom('files').select('id').where('scan_due_at', '<=', now).limit(1),
);

/**
 * The files that must be scanned. A replica takes a file by writing a random lease into its row, so exactly one replica scans it. New bytes
 * remove the lease, so the result of a scan counts only for the bytes that it read.
 */
export class ScanQueue {
  /** The account of the last file that this process took. */
  #lastAccount = '';

  constructor(private readonly context: StorageContext) {}

  /** Decides which files are delivered. */
  get policy(): ScanPolicy {
    return this.context.scanPolicy;
  }

  /**
   * Takes up to `limit` files. The accounts take turns, so that the uploads of one account do not delay those of the others. The files of one
   * account are taken in the order in which they became due.
   * @param isFull whether an account may have no more scans now. `taken`: the files that this call has taken of it.
   */
  async take(limit: number, isFull: (accountId: string, taken: number) => boolean = () => false): Promise<ScanTask[]> {
    const { metadata, now } = this.context;
    // A read, because usually no file waits.
    if (!(await findDue.first(metadata.db, { now: now() }))) return [];
    return metadata.write(
      async (query) => {
        const tasks: ScanTask[] = [];
        const takenOf = (id: string) => tasks.filter(({ accountId }) => accountId === id).length;
        // Accounts since the last one with a file to take. When they repeat, no other is left.
        const skipped = new Set<string>();
        while (tasks.length < limit) {
          const accountId = await this.#nextAccount(query);
          if (accountId === undefined || skipped.has(accountId)) break;
          const row = isFull(accountId, takenOf(accountId)) ? undefined : await this.#takeOldest(query, accountId);
          if (row) tasks.push(this.#toTask(row));
          if (row) skipped.clear();
          else skipped.add(accountId);
        }
        return tasks;
      },
      { durable: false },
    );
  }

  /** Finds the next account with a due file, and begins again after the last. */
  async #nextAccount(query: Query): Promise<string | undefined> {
    const due = query
      .selectFrom('files')
      .select('account_id')
      .where('scan_due_at', 'is not', null)
      // The sign keeps the database from reading the files of all accounts by their time.
      .where(sql<boolean>`+scan_due_at <= ${this.context.now()}`)
      .orderBy('account_id')
      .limit(1);
    const row = (await due.where('account_id', '>', this.#lastAccount).executeTakeFirst()) ?? (await due.executeTakeFirst());
    this.#lastAccount = row?.account_id ?? '';
    return row?.account_id;
  }

  /** @returns undefined if other replicas take the due files of the account. */
  async #takeOldest(query: Query, accountId: string): Promise<FileRow | undefined> {
    const { metadata, now } = this.context;
    const oldest = query
      .selectFrom('files')
      .select('id')
      .where('account_id', '=', accountId)
      .where('scan_due_at', '<=', now())
      .orderBy('scan_due_at')
      .limit(1);
    const found = await metadata.forUpdateSkipLocked(oldest).executeTakeFirst();
    if (!found) return undefined;
    return query
      .updateTable('files')
      .set({ scan_due_at: now() + SCAN_LEASE_MS, scan_lease: randomText(26) })
      .where('id', '=', found.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  #toTask(row: FileRow): ScanTask {
    return {
      id: row.id,
      accountId: row.account_id,
      size: row.size,
      attempts: row.scan_attempts,
      lease: row.scan_lease!,
      read: (signal) => readSegments(this.context, segmentsOf(row), { start: 0, end: row.size - 1 }, signal),
    };
  }

  /** Extends a lease. @returns false if the file was replaced or deleted, or if another replica has taken it. */
  renew(task: ScanTask): Promise<boolean> {
    return this.#change(task, { scan_due_at: this.context.now() + SCAN_LEASE_MS });
  }

  /** Records a result and its event. @returns false if the lease has ended; then the result is ignored. */
  settle({ id, lease }: ScanTask, result: ScanResult): Promise<boolean> {
    return this.context.metadata.write(async (query) => {
      const select = query.selectFrom('files').selectAll().where('id', '=', id).where('scan_lease', '=', lease);
      const before = await this.context.metadata.forUpdate(select).executeTakeFirst();
      if (!before) return false;
      const row = await query
        .updateTable('files')
        .set({
          scan: result.state,
          scan_signature: result.state === 'infected' ? result.signature : null,
          scan_attempts: 0,
          scan_due_at: result.state === 'too_large' ? this.context.now() + RETRY_TOO_LARGE_MS : null,
          scan_lease: null,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      if (row.scan !== before.scan)
        await recordEvents(this.context, query, row.bucket_id, () => [fileScanned(toStoredFile(row))]);
      return true;
    });
  }

  /** Lets the scan begin again after a failure. @param delay ms */
  async retry(task: ScanTask, delay: number): Promise<void> {
    await this.#change(task, {
      scan_due_at: this.context.now() + delay,
      scan_lease: null,
      scan_attempts: task.attempts + 1,
    });
  }

  /** Gives a file back whose scan was interrupted by the stop of the service. */
  async giveBack(task: ScanTask): Promise<void> {
    await this.#change(task, { scan_due_at: this.context.now(), scan_lease: null });
  }

  /** Ends the leases of a process that died. Only for a process that is alone on the data. */
  async endAll(): Promise<void> {
    const { metadata, now } = this.context;
    await metadata.write(
      (query) =>
        query.updateTable('files').set({ scan_due_at: now(), scan_lease: null }).where('scan_lease', 'is not', null).execute(),
      { durable: false },
    );
  }

  /** Counts the files that wait, and finds how long the oldest has waited, ms. */
  async waiting(): Promise<{ files: number; oldest: number }> {
    const { metadata, now } = this.context;
    const row = await metadata.db
      .selectFrom('files')
      .select([sql<number>`count(*)`.as('files'), sql<number | null>`min(updated_at)`.as('since')])
      .where('scan_due_at', 'is not', null)
      .where('scan', '=', 'pending')
      .executeTakeFirstOrThrow();
    return { files: Number(row.files), oldest: row.since === null ? 0 : Math.max(0, now() - Number(row.since)) };
  }

  async #change(
    { id, lease }: ScanTask,
    columns: Partial<Pick<FileRow, 'scan_due_at' | 'scan_lease' | 'scan_attempts'>>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.context.metadata.write(
      (query) => query.updateTable('files').set(columns).where('id', '=', id).where('scan_lease', '=', lease).executeTakeFirst(),
      { durable: false },
    );
    return numUpdatedRows > 0n;
  }
}
