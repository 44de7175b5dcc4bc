import { assertConditions } from './conditions.js';
import type { StorageContext } from '../context.js';
import { lockFileById, lockFileAndTarget } from './lock-file.js';
import { changeKey } from './move.js';
import { mergeProperties, propertyColumns, toStoredFile } from './file-rows.js';
import type { FileChanges, StoredFile } from '../types.js';
import { addUsage } from './usage.js';
import { fileUpdated } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import type { Storage } from '../../identity/credential.js';

/** Changes properties and key of a file in one transaction. */
export function updateFile(context: StorageContext, storage: Storage, id: string, changes: FileChanges): Promise<StoredFile> {
  const { key, ifMatch, ifNoneMatch, ...properties } = changes;
  const conditions = { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
  return context.metadata.write(async (query) => {
    const locked =
      key === undefined
        ? { row: await lockFileById(context, query, storage, id), target: undefined }
        : await lockFileAndTarget(context, query, { storage, id }, { storage, key });
    assertConditions(locked.row, locked.row.key, conditions);
    const row = key === undefined ? locked.row : await changeKey(context, query, locked, key, { overwrite: false });
    const updated = await query
      .updateTable('files')
      .set({ ...propertyColumns(mergeProperties(toStoredFile(row), properties)), updated_at: context.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const publicFiles = Number(updated.visibility === 'public') - Number(row.visibility === 'public');
    if (publicFiles !== 0) await addUsage(query, storage.accountId, { files: 0, bytes: 0, publicFiles });
    const file = toStoredFile(updated);
    await recordEvents(context, query, storage.bucketId, () => [fileUpdated(file, locked.row.key)]);
    return file;
  });
}
