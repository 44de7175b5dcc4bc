import { assertConditions } from './conditions.js';
import type { StorageContext } from '../context.js';
import { lockFileById, lockFileAndTarget } from './lock-file.js';
import { changeKey } from './move.js';
import { changeRow } from './change-row.js';
import { toStoredFile } from './file-rows.js';
import type { FileChanges, StoredFile } from '../types.js';
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
    const { row } = locked;
    assertConditions(row, row.key, conditions);
    const changed =
      key === undefined || key === row.key
        ? await changeRow(context, query, row, properties)
        : await changeKey(context, query, locked, key, { overwrite: false }, properties);
    return toStoredFile(changed);
  });
}
