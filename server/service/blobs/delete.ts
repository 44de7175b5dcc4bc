import type { Query } from '../metadata/metadata.js';
import { isLive, lockKey } from './commit.js';
import { assertConditions } from './conditions.js';
import type { BlobsContext } from './context.js';
import { dropRefs } from './refs.js';
import { segmentsOf, toStoredFile } from './rows.js';
import type { FileRow } from './rows.js';
import type { Conditions, Storage, StoredFile } from './types.js';
import { addUsage } from './usage.js';

/** Takes a (locked) row away; its blobs are deleted by the sweep, a minute later, when slow readers are done. */
export async function removeRow(query: Query, row: FileRow, now: number): Promise<void> {
  await query.deleteFrom('files').where('id', '=', row.id).execute();
  await dropRefs(query, segmentsOf(row), now);
  await addUsage(query, row.account_id, { files: -1, bytes: -row.size, publicFiles: row.visibility === 'public' ? -1 : 0 });
}

export function deleteKey(
  context: BlobsContext,
  storage: Storage,
  key: string,
  conditions: Pick<Conditions, 'ifMatch'> = {},
): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const row = await lockKey(context, query, storage.bucketId, key);
    const live = isLive(row, context.now());
    assertConditions(live ? row : undefined, key, conditions);
    if (!row) return undefined;
    await removeRow(query, row, context.now());
    return live ? toStoredFile(row) : undefined;
  });
}

export function deleteFile(context: BlobsContext, storage: Storage, id: string): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const select = query.selectFrom('files').selectAll().where('bucket_id', '=', storage.bucketId).where('id', '=', id);
    const row = await context.metadata.locking(select).executeTakeFirst();
    if (!row) return undefined;
    await removeRow(query, row, context.now());
    return isLive(row, context.now()) ? toStoredFile(row) : undefined;
  });
}
