import { BlobError } from '../../../src/protocol/errors.js';
import type { Query } from '../metadata/metadata.js';
import { statement } from '../metadata/prepared.js';
import type { BlobsContext } from './context.js';
import type { FileRow } from './rows.js';
import type { Storage } from './types.js';

/** What stands at a key, locked for the rest of the transaction. A file past its expiry counts as gone. */
export const lockKey = (query: Query, bucketId: string, key: string): Promise<FileRow | undefined> =>
  lockedByKey.first(query, { bucketId, key });

const lockedByKey = statement<{ bucketId: string; key: string }>()((query, { bucketId, key }, lock) =>
  lock(query.selectFrom('files').selectAll().where('bucket_id', '=', bucketId).where('key', '=', key)),
);

export const isLive = (row: Pick<FileRow, 'expires_at'> | undefined, now: number): boolean =>
  row !== undefined && (row.expires_at === null || row.expires_at > now);

/** A live file's row, locked. @throws `FILE_NOT_FOUND`. */
export async function lockFile(context: BlobsContext, query: Query, storage: Storage, id: string): Promise<FileRow> {
  const select = query.selectFrom('files').selectAll().where('bucket_id', '=', storage.bucketId).where('id', '=', id);
  const row = await context.metadata.locking(select).executeTakeFirst();
  if (!row || !isLive(row, context.now())) throw fileNotFound({ id });
  return row;
}

export const fileNotFound = (details: Record<string, unknown>): BlobError =>
  new BlobError('FILE_NOT_FOUND', 'There is no such file.', { details });
