import type { Query } from '../metadata/metadata.js';
import { isLive, lockKey } from './lock.js';
import { assertConditions } from './conditions.js';
import type { BlobsContext } from './context.js';
import { changeRefs } from './refs.js';
import { segmentsOf, toStoredFile } from './rows.js';
import type { FileRow } from './rows.js';
import type { Conditions, Storage, StoredFile } from './types.js';
import { addUsage } from './usage.js';

/** Takes (locked) rows away; their blobs are deleted by the sweep, a minute later, when slow readers are done. */
export async function removeRows(context: BlobsContext, query: Query, rows: readonly FileRow[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await query.deleteFrom('files').where('id', 'in', ids).execute();
  await changeRefs(context, query, { dropped: rows.flatMap(segmentsOf) });
  for (const accountId of [...new Set(rows.map((row) => row.account_id))].toSorted()) {
    const own = rows.filter((row) => row.account_id === accountId);
    await addUsage(query, accountId, {
      files: -own.length,
      bytes: -own.reduce((sum, row) => sum + row.size, 0),
      publicFiles: -own.filter((row) => row.visibility === 'public').length,
    });
  }
}

export function deleteKey(
  context: BlobsContext,
  storage: Storage,
  key: string,
  conditions: Pick<Conditions, 'ifMatch'> = {},
): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const row = await lockKey(query, storage.bucketId, key);
    const live = isLive(row, context.now());
    assertConditions(live ? row : undefined, key, conditions);
    if (!row) return undefined;
    await removeRows(context, query, [row]);
    return live ? toStoredFile(row) : undefined;
  });
}

export function deleteFile(
  context: BlobsContext,
  storage: Storage,
  id: string,
  conditions: Pick<Conditions, 'ifMatch' | 'ifNoneMatch'> = {},
): Promise<StoredFile | undefined> {
  return context.metadata.write(async (query) => {
    const select = query.selectFrom('files').selectAll().where('bucket_id', '=', storage.bucketId).where('id', '=', id);
    const row = await context.metadata.locking(select).executeTakeFirst();
    if (!row) return undefined;
    const live = isLive(row, context.now());
    if (live) assertConditions(row, row.key, conditions);
    await removeRows(context, query, [row]);
    return live ? toStoredFile(row) : undefined;
  });
}

/** @returns the ids of those that were there. */
export function deleteFiles(context: BlobsContext, storage: Storage, ids: readonly string[]): Promise<Set<string>> {
  return context.metadata.write(async (query) => {
    const now = context.now();
    const select = query
      .selectFrom('files')
      .selectAll()
      .where('bucket_id', '=', storage.bucketId)
      .where('id', 'in', ids)
      .orderBy('id');
    const rows = await context.metadata.locking(select).execute();
    await removeRows(context, query, rows);
    return new Set(rows.filter((row) => isLive(row, now)).map((row) => row.id));
  });
}
