import { assertConditions } from './conditions.js';
import { isLive, lockFileAndTarget } from './lock-file.js';
import type { StorageContext } from '../context.js';
import { changeRow } from './change-row.js';
import { deleteFileRows } from './delete.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { assertRule, ruleFor } from '../uploads/upload-rules.js';
import { toStoredFile } from './file-rows.js';
import type { FileRow } from './file-rows.js';
import type { Conditions, FileProperties, StoredFile } from '../types.js';
import type { Storage } from '../../identity/credential.js';

/** Moves a file to another key. The id stays. */
export function moveFile(
  context: StorageContext,
  storage: Storage,
  id: string,
  key: string,
  conditions: Conditions,
): Promise<StoredFile> {
  return context.metadata.write(async (query) => {
    const locked = await lockFileAndTarget(context, query, { storage, id }, { storage, key });
    return toStoredFile(await changeKey(context, query, locked, key, conditions));
  });
}

/**
 * Changes the key of a locked row. Deletes the file at the new key if the conditions allow it.
 * @param properties further changes to a row that gets another key.
 */
export async function changeKey(
  context: StorageContext,
  query: Query,
  { row, target }: { row: FileRow; target: FileRow | undefined },
  key: string,
  conditions: Conditions,
  properties: FileProperties = {},
): Promise<FileRow> {
  if (row.key === key) return row;
  assertRule(await ruleFor(query, row.bucket_id, key), key, row.size);
  assertConditions(isLive(target, context.now()) ? target : undefined, key, conditions);
  if (target) await deleteFileRows(context, query, [target], 'replaced');
  return changeRow(context, query, row, properties, key);
}
