import { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { StorageContext } from '../context.js';
import type { FileRow } from './file-rows.js';
import type { Storage } from '../../identity/credential.js';

// Order of locks. Every transaction takes its locks in this order, so that no two transactions wait for one another on PostgreSQL:
// 0. the job
// 1. the upload in parts
// 2. its idempotency key
// 3. the token
// 4. the account (for its quota)
// 5. files by id
// 6. what was derived from the files
// 7. blobs by id
// 8. the sums of the account
// 9. the reservation of the upload
// The result of an idempotency key and the end of a resumable upload may be written last, because other transactions that wait for these
// rows hold no lock yet.

/** Locks the file at a key for the rest of the transaction. The row may be expired, see `isLive`. */
export const lockFileByKey = (query: Query, bucketId: string, key: string): Promise<FileRow | undefined> =>
  lockedByKey.first(query, { bucketId, key });

const lockedByKey = preparedQuery<{ bucketId: string; key: string }>()((query, { bucketId, key }, { forUpdate }) =>
  forUpdate(query.selectFrom('files').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key)),
);

/** @returns whether a row exists and has not expired. */
export const isLive = (row: Pick<FileRow, 'expires_at'> | undefined, now: number): boolean =>
  row !== undefined && (row.expires_at === null || row.expires_at > now);

/** Locks a file by its id. @throws `FILE_NOT_FOUND` if there is none or it has expired. */
export async function lockFileById(context: StorageContext, query: Query, storage: Storage, id: string): Promise<FileRow> {
  const select = query.selectFrom('files').selectAll().where('bucket_id', '=', storage.bucketId).where('id', '=', id);
  return assertLive(context, id, await context.metadata.forUpdate(select).executeTakeFirst());
}

/**
 * Locks a file and the file at the key to which it is moved or copied, in the order of their ids.
 * @throws `FILE_NOT_FOUND`.
 */
export async function lockFileAndTarget(
  context: StorageContext,
  query: Query,
  from: { storage: Storage; id: string },
  to: { storage: Storage; key: string },
): Promise<{ row: FileRow; target: FileRow | undefined }> {
  const select = query
    .selectFrom('files')
    .selectAll()
    .where((e) =>
      e.or([
        e.and([e('bucket_id', '=', from.storage.bucketId), e('id', '=', from.id)]),
        e.and([e('bucket_id', '=', to.storage.bucketId), e('key', '=', to.key)]),
      ]),
    )
    .orderBy('id');
  const rows = await context.metadata.forUpdate(select).execute();
  const row = assertLive(
    context,
    from.id,
    rows.find((candidate) => candidate.id === from.id && candidate.bucket_id === from.storage.bucketId),
  );
  return { row, target: rows.find((candidate) => candidate !== row) };
}

function assertLive(context: StorageContext, id: string, row: FileRow | undefined): FileRow {
  if (!row || !isLive(row, context.now())) throw fileNotFound({ id });
  return row;
}

export const fileNotFound = (details: Record<string, unknown>): BlobError =>
  new BlobError('FILE_NOT_FOUND', 'There is no such file.', { details });
