import { assertConditions } from './conditions.js';
import { isLive, lockFileAndTarget } from './lock-file.js';
import type { StorageContext } from '../context.js';
import { deleteFileRows } from './delete.js';
import { fileUpdated } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { assertRule, ruleFor } from '../uploads/upload-rules.js';
import { toStoredFile } from './file-rows.js';
import type { FileRow } from './file-rows.js';
import type { Conditions, StoredFile } from '../types.js';
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
    const moved = toStoredFile(await changeKey(context, query, locked, key, conditions));
    if (key !== locked.row.key) await recordEvents(context, query, storage.bucketId, () => [fileUpdated(moved, locked.row.key)]);
    return moved;
  });
}

/** Changes the key of a locked row. Deletes the file at the new key if the conditions allow it. */
export async function changeKey(
  context: StorageContext,
  query: Query,
  { row, target }: { row: FileRow; target: FileRow | undefined },
  key: string,
  conditions: Conditions,
): Promise<FileRow> {
  if (row.key === key) return row;
  const now = context.now();
  assertRule(await ruleFor(query, row.bucket_id, key), key, row.size);
  assertConditions(isLive(target, now) ? target : undefined, key, conditions);
  if (target) await deleteFileRows(context, query, [target], 'replaced');
  return query
    .updateTable('files')
    .set({ key, updated_at: now })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
