import { assertConditions } from './conditions.js';
import { isLive, lockKey } from './commit.js';
import type { BlobsContext } from './context.js';
import { removeRow } from './delete.js';
import { toStoredFile } from './rows.js';
import type { Conditions, Storage, StoredFile } from './types.js';
import { lockFile } from './update.js';

export function moveFile(
  context: BlobsContext,
  storage: Storage,
  id: string,
  key: string,
  conditions: Conditions,
): Promise<StoredFile> {
  return context.metadata.write(async (query) => {
    const row = await lockFile(context, query, storage, id);
    const target = row.key === key ? undefined : await lockKey(context, query, storage.bucketId, key);
    assertConditions(isLive(target, context.now()) ? target : undefined, key, conditions);
    if (target) await removeRow(query, target, context.now());
    const moved = await query
      .updateTable('files')
      .set({ key, updated_at: context.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return toStoredFile(moved);
  });
}
