import type { BlobsContext } from './context.js';
import { lockFile, lockFileAndTarget } from './lock.js';
import { renameRow } from './move.js';
import { mergeProperties, propertyColumns, toStoredFile } from './rows.js';
import type { FileChanges, Storage, StoredFile } from './types.js';
import { addUsage } from './usage.js';

export function updateFile(context: BlobsContext, storage: Storage, id: string, changes: FileChanges): Promise<StoredFile> {
  const { key, ...properties } = changes;
  return context.metadata.write(async (query) => {
    const row =
      key === undefined
        ? await lockFile(context, query, storage, id)
        : await renameRow(context, query, await lockFileAndTarget(context, query, { storage, id }, { storage, key }), key, {
            overwrite: false,
          });
    const updated = await query
      .updateTable('files')
      .set({ ...propertyColumns(mergeProperties(toStoredFile(row), properties)), updated_at: context.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const publicFiles = Number(updated.visibility === 'public') - Number(row.visibility === 'public');
    if (publicFiles !== 0) await addUsage(query, storage.accountId, { files: 0, bytes: 0, publicFiles });
    return toStoredFile(updated);
  });
}
