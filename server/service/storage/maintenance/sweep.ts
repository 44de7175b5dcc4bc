import type { Query } from '../../drivers/metadata/metadata.js';
import type { StorageContext } from '../context.js';
import { sql } from 'kysely';
import type { DeleteResult } from 'kysely';
import { DEAD_AFTER } from '../uploads/heartbeat.js';
import { idsOfOneTransaction, deleteFileRows, ID_AND_WEIGHT } from '../files/delete.js';
import { abortUpload, findUpload } from '../multipart/multipart-uploads.js';
import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';
import { releaseDeadReservation, releaseReservation } from '../uploads/release-reservation.js';

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
/** Readers of a replaced or deleted file finish within this. ms. */
const READERS_GRACE = 60_000;
/** Expired upload tokens are shown this long. ms. */
const TOKENS_KEPT = 30 * 86_400_000;
/** S3 key pairs that ended are kept as long as an upload begun with one may run. */
const PAIRS_KEPT = 86_400_000;
/** Rows per round. */
const BATCH = 500;

/** One round of cleaning after what the records tell; safe beside running uploads and in several replicas at once. */
export async function sweep(context: StorageContext, options: SweepOptions = {}): Promise<SweepReport> {
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
  await forgetOld(context, signal).catch((cause: unknown) => failures.push(cause));
  if (failures.length > 0) throw failures[0];
  return report;
}

/**
 * Deletes records of what is long over, kind by kind: in one transaction rows of one kind would be held while it waits for another. Each
 * transaction is short, however many there are.
 */
async function forgetOld(context: StorageContext, signal?: AbortSignal): Promise<void> {
  const old = (ms: number) => context.now() - ms;
  const kinds: ((query: Query) => Promise<DeleteResult>)[] = [
    (query) => {
      const ids = query
        .selectFrom('idempotency')
        .select('id')
        .where('created_at', '<', old(IDEMPOTENCY.keepSeconds * 1000));
      return query.deleteFrom('idempotency').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      const ids = query.selectFrom('upload_tokens').select('id').where('expires_at', '<', old(TOKENS_KEPT));
      return query.deleteFrom('upload_tokens').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      const ids = query.selectFrom('s3_credentials').select('id').where('expires_at', '<', old(PAIRS_KEPT));
      return query.deleteFrom('s3_credentials').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) =>
      query
        .deleteFrom('s3_credentials')
        .where('key_id', 'in', endedKeys(query, old(PAIRS_KEPT)))
        .executeTakeFirstOrThrow(),
    (query) =>
      query
        .deleteFrom('shares')
        .where('key_id', 'in', endedKeys(query, old(0)))
        .executeTakeFirstOrThrow(),
    (query) => {
      // Unfinished ones went with their uploads.
      const finished = query.selectFrom('resumables').select('id').where('file_json', 'is not', null);
      const ids = finished.where('expires_at', '<=', old(0));
      return query.deleteFrom('resumables').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
  ];
  for (const kind of kinds) {
    let deleted = BATCH;
    while (deleted === BATCH) {
      signal?.throwIfAborted();
      const result = await context.metadata.write(kind, { durable: false });
      deleted = Number(result.numDeletedRows);
    }
  }
}

/** Keys that were revoked before this time: all that they created has ended. */
const endedKeys = (query: Query, time: number) => query.selectFrom('api_keys').select('id').where('revoked_at', '<', time);

/**
 * The time so many milliseconds before now, by the database's clock. As a subquery it is computed once: PostgreSQL would read the whole table to
 * compare each row with a clock that goes on meanwhile.
 */
const before = ({ metadata }: StorageContext, ms: number) => sql<number>`(select ${metadata.clock} - cast(${ms} as bigint))`;

async function sweepReservations(context: StorageContext, alone: boolean, signal?: AbortSignal): Promise<number> {
  const others = context.metadata.db.selectFrom('reservations').select('id').where('replica', '!=', context.replica);
  const ended = [...context.pendingReleases, ...(alone ? await others.execute() : []).map((row) => row.id)];
  for (const id of ended) {
    signal?.throwIfAborted();
    await releaseReservation(context, id);
  }
  if (alone || !context.heartbeat.canDetectDeadReplicas()) return ended.length;
  const lastSignBefore = before(context, DEAD_AFTER);
  let count = ended.length;
  for (const { id } of await others.where('alive_at', '<', lastSignBefore).execute()) {
    signal?.throwIfAborted();
    if (await releaseDeadReservation(context, id, lastSignBefore)) count += 1;
  }
  return count;
}

async function sweepFiles(context: StorageContext, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const removed = await context.metadata.write(async (query) => {
      // By their expiry they are found, by their id locked: ordered at once, SQLite would read through all files there are.
      const expired = query.selectFrom('files').select(ID_AND_WEIGHT).where('expires_at', '<=', context.now()).limit(BATCH);
      const ids = idsOfOneTransaction(await expired.execute());
      if (ids.length === 0) return 0;
      const select = query.selectFrom('files').selectAll().where('id', 'in', ids).orderBy('id');
      const rows = await context.metadata.forUpdate(select).execute();
      await deleteFileRows(context, query, rows);
      return rows.length;
    });
    if (removed === 0) return count;
    count += removed;
  }
}

async function sweepUploads(context: StorageContext, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    const rows = await context.metadata.db
      .selectFrom('uploads')
      .select(['id', 'account_id', 'bucket_id'])
      .where('expires_at', '<=', context.now())
      .limit(BATCH)
      .execute();
    for (const row of rows) {
      signal?.throwIfAborted();
      const upload = await findUpload(context, { accountId: row.account_id, bucketId: row.bucket_id }, row.id);
      if (upload) await abortUpload(context, upload);
    }
    count += rows.length;
    if (rows.length < BATCH) return count;
  }
}

async function sweepBlobs(context: StorageContext, aloneSince: number, signal?: AbortSignal): Promise<number> {
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
export async function sweepOrphans(context: StorageContext, options: SweepOptions = {}): Promise<number> {
  const { aloneSince = 0, signal } = options;
  const before = Math.max(aloneSince, context.now() - ORPHAN_AFTER);
  let count = 0;
  let page: string[] = [];
  const judge = async () => {
    if (page.length === 0) return;
    // In this order: an upload that commits between two questions has left what was asked first and is among the blobs.
    const writing = page.filter((id) => context.unrecordedBlobs.has(id));
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
