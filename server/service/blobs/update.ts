import { BlobError } from '../../../src/protocol/errors.js';
import type { Query } from '../metadata/metadata.js';
import { isLive } from './commit.js';
import type { BlobsContext } from './context.js';
import { mergeProperties, propertyColumns, toStoredFile } from './rows.js';
import type { FileRow } from './rows.js';
import type { FileChanges, Storage, StoredFile } from './types.js';
import { addUsage } from './usage.js';

/** A live file's row, locked. @throws `FILE_NOT_FOUND`. */
export async function lockFile(context: BlobsContext, query: Query, storage: Storage, id: string): Promise<FileRow> {
  const select = query.selectFrom('files').selectAll().where('bucket_id', '=', storage.bucketId).where('id', '=', id);
  const row = await context.metadata.locking(select).executeTakeFirst();
  if (!row || !isLive(row, context.now())) throw fileNotFound({ id });
  return row;
}

export const fileNotFound = (details: Record<string, unknown>): BlobError =>
  new BlobError('FILE_NOT_FOUND', 'There is no such file.', { details });

export function updateFile(context: BlobsContext, storage: Storage, id: string, changes: FileChanges): Promise<StoredFile> {
  return context.metadata.write(async (query) => {
    const row = await lockFile(context, query, storage, id);
    const updated = await query
      .updateTable('files')
      .set({ ...propertyColumns(mergeProperties(toStoredFile(row), changes)), updated_at: context.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const publicFiles = Number(updated.visibility === 'public') - Number(row.visibility === 'public');
    if (publicFiles !== 0) await addUsage(query, storage.accountId, { files: 0, bytes: 0, publicFiles });
    return toStoredFile(updated);
  });
}
