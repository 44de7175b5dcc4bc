import type { Storage } from '../../identity/credential.js';
import type { StorageContext } from '../context.js';
import { LISTED_COLUMNS, toStoredFile } from '../files/file-rows.js';
import { isLive } from '../files/lock-file.js';
import type { StoredFile } from '../types.js';

/** Rows of one read at most. For files in thousands of parts, SQLite reads the large columns between the listed ones. */
const MAX_READ = 100;

/** Reads files by their keys, in the given order and without `parts`. Leaves out missing and expired files. */
export async function readListedFiles(
  { metadata, now }: StorageContext,
  { bucketId }: Storage,
  keys: readonly string[],
): Promise<StoredFile[]> {
  const found = new Map<string, StoredFile>();
  for (let start = 0; start < keys.length; start += MAX_READ) {
    const rows = await metadata.db
      .selectFrom('files')
      .select(LISTED_COLUMNS)
      .where('bucket_id', '=', bucketId)
      .where('key', 'in', keys.slice(start, start + MAX_READ))
      .execute();
    const time = now();
    for (const row of rows) if (isLive(row, time)) found.set(row.key, toStoredFile({ ...row, parts_json: null }));
  }
  return keys.flatMap((key) => found.get(key) ?? []);
}
