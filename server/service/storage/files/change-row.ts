import { fileUpdated } from '../events/file-event.js';
import { recordEvents } from '../events/record-events.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { StorageContext } from '../context.js';
import type { FileProperties } from '../types.js';
import { mergeProperties, propertyColumns, toStoredFile } from './file-rows.js';
import type { FileRow } from './file-rows.js';
import { addUsage } from './usage.js';

/**
 * Changes properties and key of a locked row, and records one event. Use `changeKey` for a new key, because it checks the rules and the file
 * that has the key.
 */
export async function changeRow(
  context: StorageContext,
  query: Query,
  row: FileRow,
  properties: FileProperties,
  key = row.key,
): Promise<FileRow> {
  // A file that was moved belongs to whoever moved it.
  const token_id = key === row.key ? row.token_id : null;
  const changed = await query
    .updateTable('files')
    .set({ ...propertyColumns(mergeProperties(toStoredFile(row), properties)), key, token_id, updated_at: context.now() })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const publicFiles = Number(changed.visibility === 'public') - Number(row.visibility === 'public');
  if (publicFiles !== 0) await addUsage(query, row.account_id, { files: 0, bytes: 0, publicFiles });
  await recordEvents(context, query, row.bucket_id, () => [fileUpdated(toStoredFile(changed), row.key)]);
  return changed;
}
