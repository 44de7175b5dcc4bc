import type { Query } from '../metadata/metadata.js';
import type { BlobsContext } from './context.js';
import { sql } from 'kysely';
import { removeRows } from './delete.js';
import { release } from './reservation.js';
import { abortUpload, findUpload } from './uploads.js';
import { IDEMPOTENCY } from '../../../src/protocol/limits.js';

export interface SweepReport {
  abandonedUploads: number;
  expiredFiles: number;
  expiredUploads: number;
  deletedBlobs: number;
}

export interface SweepOptions {
  /**
   * ms: whoever was at work before this is gone, as where a process has just made a data directory its own. What is older needs none of the
   * graces for others. Undefined where replicas may be at work.
   */
  aloneSince?: number | undefined;
  signal?: AbortSignal;
}

/** Where others may be at work, only bytes this old are taken for forgotten. ms. */
const ORPHAN_AFTER = 86_400_000;
/** A process that has not said for so long that its uploads are alive is dead. ms. */
const DEAD_AFTER = 120_000;
/** Readers of a replaced or deleted file finish within this. ms. */
const READERS_GRACE = 60_000;
/** Expired upload tokens are shown this long. ms. */
const TOKENS_KEPT = 30 * 86_400_000;
/** S3 key pairs that ended are kept as long as an upload begun with one may run. */
const PAIRS_KEPT = 86_400_000;
/** Rows per round. */
const BATCH = 500;

/** Says that this process's uploads are alive; due far more often than `DEAD_AFTER`. */
export async function keepAlive(context: BlobsContext): Promise<void> {
  await context.metadata.write(
    (query) =>
      query
        .updateTable('reservations')
        .set({ alive_at: context.metadata.clock })
        .where('replica', '=', context.replica)
        .execute(),
    { durable: false },
  );
}

/** One round of cleaning after what the records tell; safe beside running uploads and in several replicas at once. */
export async function sweep(context: BlobsContext, options: SweepOptions = {}): Promise<SweepReport> {
  const { aloneSince, signal } = options;
  const failures: unknown[] = [];
  // Each is done whatever became of the one before: on a full disk no row can be written, and deleting bytes is what helps.
  const step = (job: Promise<number>) =>
    job.catch((cause: unknown) => {
      signal?.throwIfAborted();
      failures.push(cause);
      return 0;
    });
  const report: SweepReport = {
    abandonedUploads: await step(sweepReservations(context, aloneSince !== undefined, signal)),
    expiredFiles: await step(sweepFiles(context, signal)),
    expiredUploads: await step(sweepUploads(context, signal)),
    deletedBlobs: await step(sweepBlobs(context, aloneSince ?? 0, signal)),
  };
  await forgetOld(context).catch((cause: unknown) => failures.push(cause));
  if (failures.length > 0) throw failures[0];
  return report;
}

/** Records of what is long over, kind by kind: in one transaction rows of one would be held while it waits for another. */
async function forgetOld(context: BlobsContext): Promise<void> {
  const now = context.now();
  const kinds: ((query: Query) => { execute(): Promise<unknown> })[] = [
    (query) => query.deleteFrom('idempotency').where('created_at', '<', now - IDEMPOTENCY.keepSeconds * 1000),
    (query) => query.deleteFrom('upload_tokens').where('expires_at', '<', now - TOKENS_KEPT),
    (query) => query.deleteFrom('s3_credentials').where('expires_at', '<', now - PAIRS_KEPT),
    // Unfinished ones went with their uploads.
    (query) => query.deleteFrom('resumables').where('expires_at', '<=', now).where('file_json', 'is not', null),
  ];
  for (const old of kinds) await context.metadata.write((query) => old(query).execute(), { durable: false });
}

/** @param ms before now, by the database's clock. */
const before = ({ metadata }: BlobsContext, ms: number) => sql<number>`${metadata.clock} - cast(${ms} as bigint)`;

async function sweepReservations(context: BlobsContext, alone: boolean, signal?: AbortSignal): Promise<number> {
  let query = context.metadata.db.selectFrom('reservations').select('id').where('replica', '!=', context.replica);
  // Judged by the clock that wrote it: another machine's may run ahead.
  if (!alone) query = query.where('alive_at', '<', before(context, DEAD_AFTER));
  const dead = [...context.stuck, ...(await query.execute()).map((row) => row.id)];
  for (const id of dead) {
    signal?.throwIfAborted();
    await release(context, id);
  }
  return dead.length;
}

async function sweepFiles(context: BlobsContext, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const removed = await context.metadata.write(async (query) => {
      const now = context.now();
      // By their expiry they are found, by their id locked: ordered at once, SQLite would read through all files there are.
      const expired = query.selectFrom('files').select('id').where('expires_at', '<=', now).limit(BATCH);
      const select = query.selectFrom('files').selectAll().where('id', 'in', expired).orderBy('id');
      const rows = await context.metadata.locking(select).execute();
      await removeRows(context, query, rows);
      return rows.length;
    });
    count += removed;
    if (removed < BATCH) return count;
  }
}

async function sweepUploads(context: BlobsContext, signal?: AbortSignal): Promise<number> {
  const rows = await context.metadata.db
    .selectFrom('uploads')
    .select(['id', 'account_id', 'bucket_id'])
    .where('expires_at', '<=', context.now())
    .execute();
  for (const row of rows) {
    signal?.throwIfAborted();
    const upload = await findUpload(context, { accountId: row.account_id, bucketId: row.bucket_id }, row.id);
    if (upload) await abortUpload(context, upload);
  }
  return rows.length;
}

async function sweepBlobs(context: BlobsContext, aloneSince: number, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const freed = await context.metadata.db
      .selectFrom('blobs')
      .select('id')
      .where((e) => e.or([e('freed_at', '<=', aloneSince), e('freed_at', '<=', before(context, READERS_GRACE))]))
      .where('refs', '<=', 0)
      .limit(BATCH)
      .execute();
    const ids = freed.map((row) => row.id);
    if (ids.length === 0) return count;
    // Bytes first: a crash in between leaves a row that says what is still to do.
    await context.bytes.delete(ids);
    await context.metadata.write((query) => query.deleteFrom('blobs').where('id', 'in', ids).execute(), { durable: false });
    count += ids.length;
  }
}

/**
 * Reads through the whole store for bytes that no record knows: minutes where there are millions, so it runs beside everything else. An
 * upload that runs is safe whatever the clocks say: before its first byte a reservation stands, or this process knows it (`writing`).
 * @returns how many it deleted.
 */
export async function sweepOrphans(context: BlobsContext, options: SweepOptions = {}): Promise<number> {
  const { aloneSince = 0, signal } = options;
  const before = Math.max(aloneSince, context.now() - ORPHAN_AFTER);
  let count = 0;
  let page: string[] = [];
  const judge = async () => {
    if (page.length === 0) return;
    // In this order: an upload that commits between two questions has left what was asked first and is among the blobs.
    const writing = page.filter((id) => context.writing.has(id));
    const running = await context.metadata.db.selectFrom('reservations').select('id').where('id', 'in', page).execute();
    const stored = await context.metadata.db.selectFrom('blobs').select('id').where('id', 'in', page).execute();
    const known = new Set([...writing, ...[...running, ...stored].map((row) => row.id)]);
    const orphans = page.filter((id) => !known.has(id));
    await context.bytes.delete(orphans);
    count += orphans.length;
    page = [];
  };
  for await (const blob of context.bytes.list(signal)) {
    signal?.throwIfAborted();
    if (blob.changedAt > before) continue;
    page.push(blob.id);
    if (page.length === BATCH) await judge();
  }
  await judge();
  return count;
}
