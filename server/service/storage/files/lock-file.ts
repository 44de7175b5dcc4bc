import { BlobError } from '../../../../src/protocol/errors.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { StorageContext } from '../context.js';
import type { FileRow } from './file-rows.js';
import type { Storage } from '../../identity/credential.js';

// Where writers run side by side, every transaction locks in this order, so that no two wait for one another: the upload of several steps, its
// idempotency key, the token, the account (for its quota), files by id, blobs by id, the account's sums, the upload's own reservation. What an
// upload ends with (its key's result, its record) may come last: whoever else waits for that holds nothing yet.

/** What stands at a key, locked for the rest of the transaction. A file past its expiry counts as gone. */
export const lockFileByKey = (query: Query, bucketId: string, key: string): Promise<FileRow | undefined> =>
  lockedByKey.first(query, { bucketId, key });

const lockedByKey = preparedQuery<{ bucketId: string; key: string }>()((query, { bucketId, key }, { forUpdate }) =>
  forUpdate(query.selectFrom('files').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key)),
);

export const isLive = (row: Pick<FileRow, 'expires_at'> | undefined, now: number): boolean =>
  row !== undefined && (row.expires_at === null || row.expires_at > now);

/** A live file's row, locked. @throws `FILE_NOT_FOUND`. */
export async function lockFileById(context: StorageContext, query: Query, storage: Storage, id: string): Promise<FileRow> {
  const select = query.selectFrom('files').selectAll().where('bucket_id', '=', storage.bucketId).where('id', '=', id);
  return assertLive(context, id, await context.metadata.forUpdate(select).executeTakeFirst());
}

/**
 * A live file's row, and what else stands at the key it shall have or be copied to; both locked, in the order of all.
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
    rows.find((one) => one.id === from.id && one.bucket_id === from.storage.bucketId),
  );
  return { row, target: rows.find((one) => one !== row) };
}

function assertLive(context: StorageContext, id: string, row: FileRow | undefined): FileRow {
  if (!row || !isLive(row, context.now())) throw fileNotFound({ id });
  return row;
}

export const fileNotFound = (details: Record<string, unknown>): BlobError =>
  new BlobError('FILE_NOT_FOUND', 'There is no such file.', { details });
