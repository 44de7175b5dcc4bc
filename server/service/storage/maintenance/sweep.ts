import type { Query } from '../../drivers/metadata/metadata.js';
import type { StorageContext } from '../context.js';
import { sql } from 'kysely';
import type { DeleteResult } from 'kysely';
import { DEAD_AFTER_MS } from '../uploads/heartbeat.js';
import { idsOfOneTransaction, deleteFileRows, ID_AND_SEGMENT_BYTES } from '../files/delete.js';
import { evictDerived } from '../derived/evict-derived.js';
import { abortUpload, findUpload } from '../multipart/multipart-uploads.js';
import { endedKeys, isOfEndedMember } from '../../identity/provenance.js';
import { LIFETIME_MS } from '../../identity/users/sessions.js';
import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';
import { DAILY_SUMS_DAYS, DAY_MS } from '../statistics/daily-sums.js';
import { KEEP_JOBS_MS } from '../jobs/job.js';
import { releaseDeadReservation, releaseReservation } from '../uploads/release-reservation.js';

export interface SweepReport {
  abandonedUploads: number;
  expiredFiles: number;
  expiredUploads: number;
  evictedDerivedFiles: number;
  deletedBlobs: number;
}

export interface SweepOptions {
  /**
   * When this process became the only one on the data, ms since 1970. Everything older is then swept without the grace periods that protect
   * other processes. Undefined if replicas may share the data.
   */
  aloneSince?: number | undefined;
  signal?: AbortSignal;
}

/** A blob without a row is an orphan after this time, if replicas may share the data. */
const ORPHAN_AFTER_MS = 86_400_000;
/** Readers of a replaced or deleted file have this long to finish. */
const READERS_GRACE_MS = 60_000;
/** Expired upload tokens are listed for this long. */
const KEEP_TOKENS_MS = 30 * 86_400_000;
/** Expired S3 key pairs are kept as long as an upload that started with one may run. */
const KEEP_KEY_PAIRS_MS = 86_400_000;
/** Used OAuth codes are kept for this long, so that a replay revokes the key. */
const KEEP_CODES_MS = 86_400_000;
/** Rows of one transaction. */
const BATCH = 500;

/**
 * Releases uploads of dead processes and deletes expired rows and unreferenced blobs. Safe beside running uploads and in several replicas at
 * once. @throws the first failure, after all steps have run.
 */
export async function sweep(context: StorageContext, options: SweepOptions = {}): Promise<SweepReport> {
  const { aloneSince, signal } = options;
  const failures: unknown[] = [];
  // A failed step does not stop the next one. On a full disk no row can be written, but deleting blobs makes room.
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
    evictedDerivedFiles: await step(evictDerived(context, context.derivedLimits, signal)),
    deletedBlobs: await step(sweepBlobs(context, aloneSince ?? 0, signal)),
  };
  await deleteOldRows(context, signal).catch((cause: unknown) => failures.push(cause));
  if (failures.length > 0) throw failures[0];
  return report;
}

/**
 * Deletes old rows, one table per transaction, so that no transaction holds locks in one table while it waits for another. Each transaction
 * deletes a limited number of rows.
 */
async function deleteOldRows(context: StorageContext, signal?: AbortSignal): Promise<void> {
  const timeBefore = (ms: number) => context.now() - ms;
  const deletions: ((query: Query) => Promise<DeleteResult>)[] = [
    (query) => {
      const ids = query
        .selectFrom('idempotency')
        .select('id')
        .where('created_at', '<', timeBefore(IDEMPOTENCY.keepSeconds * 1000));
      return query.deleteFrom('idempotency').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      const ids = query.selectFrom('upload_tokens').select('id').where('expires_at', '<', timeBefore(KEEP_TOKENS_MS));
      return query.deleteFrom('upload_tokens').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      const ids = query.selectFrom('s3_credentials').select('id').where('expires_at', '<', timeBefore(KEEP_KEY_PAIRS_MS));
      return query.deleteFrom('s3_credentials').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) =>
      query
        .deleteFrom('s3_credentials')
        .where('key_id', 'in', endedKeys(query, timeBefore(KEEP_KEY_PAIRS_MS)))
        .executeTakeFirstOrThrow(),
    (query) =>
      query
        .deleteFrom('shares')
        .where('key_id', 'in', endedKeys(query, timeBefore(0)))
        .executeTakeFirstOrThrow(),
    (query) => query.deleteFrom('shares').where(isOfEndedMember).executeTakeFirstOrThrow(),
    (query) => query.deleteFrom('s3_credentials').where(isOfEndedMember).executeTakeFirstOrThrow(),
    (query) => {
      const ids = query.selectFrom('sessions').select('id').where('created_at', '<', timeBefore(LIFETIME_MS));
      return query.deleteFrom('sessions').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      const ids = query.selectFrom('oauth_consents').select('id').where('expires_at', '<', timeBefore(0));
      return query.deleteFrom('oauth_consents').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      const ids = query.selectFrom('oauth_codes').select('id').where('expires_at', '<', timeBefore(KEEP_CODES_MS));
      return query.deleteFrom('oauth_codes').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) =>
      query
        .deleteFrom('daily_sums')
        .where('day', '<=', Math.floor(timeBefore(0) / DAY_MS) - DAILY_SUMS_DAYS)
        .executeTakeFirstOrThrow(),
    (query) => {
      const ids = query.selectFrom('jobs').select('id').where('finished_at', '<', timeBefore(KEEP_JOBS_MS));
      return query.deleteFrom('jobs').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
    (query) => {
      // Unfinished resumable uploads are deleted with their uploads.
      const finished = query.selectFrom('resumables').select('id').where('file_json', 'is not', null);
      const ids = finished.where('expires_at', '<=', timeBefore(0));
      return query.deleteFrom('resumables').where('id', 'in', ids.limit(BATCH)).executeTakeFirstOrThrow();
    },
  ];
  for (const deletion of deletions) {
    let deleted = BATCH;
    while (deleted === BATCH) {
      signal?.throwIfAborted();
      const result = await context.metadata.write(deletion, { durable: false });
      deleted = Number(result.numDeletedRows);
    }
  }
}

/**
 * The time `ms` before now by the database's clock. A subquery is computed once; otherwise PostgreSQL could not use an index, because the clock
 * changes during the query.
 */
const clockBefore = ({ metadata }: StorageContext, ms: number) => sql<number>`(select ${metadata.clock} - cast(${ms} as bigint))`;

async function sweepReservations(context: StorageContext, isAlone: boolean, signal?: AbortSignal): Promise<number> {
  const others = context.metadata.db.selectFrom('reservations').select('id').where('replica', '!=', context.replica);
  const abandoned = isAlone ? await others.execute() : [];
  const ended = [...context.pendingReleases, ...abandoned.map((row) => row.id)];
  for (const id of ended) {
    signal?.throwIfAborted();
    await releaseReservation(context, id);
  }
  if (isAlone || !context.heartbeat.canDetectDeadReplicas()) return ended.length;
  const lastSignBefore = clockBefore(context, DEAD_AFTER_MS);
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
      // Two queries, because SQLite would read all files to find expired ones in the order of their ids.
      const expired = query
        .selectFrom('files')
        .select(ID_AND_SEGMENT_BYTES)
        .where('expires_at', '<=', context.now())
        .limit(BATCH);
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
      .where((e) => e.or([e('freed_at', '<=', aloneSince), e('freed_at', '<=', clockBefore(context, READERS_GRACE_MS))]))
      .where('refs', '<=', 0)
      .limit(BATCH)
      .execute();
    const ids = freed.map((row) => row.id);
    if (ids.length === 0) return count;
    // Bytes first. After a crash in between, the row still names the blob.
    await context.bytes.delete(ids);
    await context.metadata.write((query) => query.deleteFrom('blobs').where('id', 'in', ids).execute(), { durable: false });
    count += ids.length;
  }
}

/**
 * Lists the whole store for blobs without rows, which takes minutes for millions of blobs. A running upload is safe whatever the clocks
 * show: it has a reservation before its first byte, or is in `unrecordedBlobs` of this process.
 * @returns the number of deleted blobs.
 */
export async function sweepOrphans(context: StorageContext, options: SweepOptions = {}): Promise<number> {
  const { aloneSince = 0, signal } = options;
  const changedBefore = Math.max(aloneSince, context.now() - ORPHAN_AFTER_MS);
  let count = 0;
  let page: string[] = [];
  const deleteOrphans = async () => {
    if (page.length === 0) return;
    // Keep this order: an upload that commits meanwhile moves from the first of these places to the last.
    const unrecorded = page.filter((id) => context.unrecordedBlobs.has(id));
    const running = await context.metadata.db.selectFrom('reservations').select('id').where('id', 'in', page).execute();
    const stored = await context.metadata.db.selectFrom('blobs').select('id').where('id', 'in', page).execute();
    const known = new Set([...unrecorded, ...[...running, ...stored].map((row) => row.id)]);
    const orphans = page.filter((id) => !known.has(id));
    await context.bytes.delete(orphans);
    count += orphans.length;
    page = [];
  };
  for await (const blob of context.bytes.list(signal)) {
    signal?.throwIfAborted();
    if (blob.changedAt > changedBefore) continue;
    page.push(blob.id);
    if (page.length === BATCH) await deleteOrphans();
  }
  await deleteOrphans();
  return count;
}
