import type { Storage } from '../../identity/credential.js';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import type { Listing, ListOptions } from '../types.js';
import { LISTED_COLUMNS, toStoredFile } from './file-rows.js';
import { commonPrefixOf, firstKeyAfterPrefix, isKeyBefore } from './key-order.js';

/** Rows of the first read with a delimiter. Most rows of a larger read would be in the first folder. */
const FIRST_READ_WITH_DELIMITER = 16;
/** Rows of one read at most. For files in thousands of parts, SQLite reads the large columns between the listed ones. */
const MAX_READ = 100;

/** The first key of a read: inclusive (`from`) or exclusive (`after`). */
type Position = { from: string } | { after: string };

/** Lists files by key. A common prefix is skipped with one seek, however many files are below it. */
export async function listFiles(context: StorageContext, storage: Storage, options: ListOptions): Promise<Listing> {
  const { prefix = '', delimiter = '', limit } = options;
  const listing: Listing = { files: [], prefixes: [], next: null };
  const firstReadSize = delimiter === '' ? limit + 1 : FIRST_READ_WITH_DELIMITER;
  const pause = yieldToEventLoop();
  let readSize = firstReadSize;
  let position = firstPosition(options);
  let lastListed: string | null = null;
  while (position) {
    // One row more than the page needs shows whether there is another page.
    const size = Math.min(readSize, limit + 1 - listing.files.length - listing.prefixes.length, MAX_READ);
    const rows = await readRows(context, storage, { position, prefix, size });
    let folder: string | undefined;
    for (const row of rows) {
      if (listing.files.length + listing.prefixes.length === limit) return { ...listing, next: lastListed };
      folder = commonPrefixOf(row.key, prefix, delimiter);
      lastListed = folder ?? row.key;
      if (folder !== undefined) break;
      listing.files.push(toStoredFile({ ...row, parts_json: null }));
    }
    if (folder !== undefined) {
      listing.prefixes.push(folder);
      position = positionAfterPrefix(folder);
      readSize = firstReadSize;
    } else {
      if (rows.length < size) return listing;
      position = { after: rows.at(-1)!.key };
      readSize *= 2;
    }
    await pause();
  }
  return listing;
}

/** @returns undefined if no key can follow. */
function firstPosition({ prefix = '', delimiter = '', after }: ListOptions): Position | undefined {
  if (after === undefined) return { from: prefix };
  if (commonPrefixOf(after, prefix, delimiter) === after) return positionAfterPrefix(after);
  return isKeyBefore(after, prefix) ? { from: prefix } : { after };
}

function positionAfterPrefix(prefix: string): Position | undefined {
  const from = firstKeyAfterPrefix(prefix);
  return from === undefined ? undefined : { from };
}

/** Reads the rows of files that start with `prefix` and have not expired, by key. */
function readRows(
  { metadata, now }: StorageContext,
  { bucketId }: Storage,
  { position, prefix, size }: { position: Position; prefix: string; size: number },
) {
  const end = firstKeyAfterPrefix(prefix);
  let query = metadata.db
    .selectFrom('files')
    .select(LISTED_COLUMNS)
    .where('bucket_id', '=', bucketId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now())]))
    .orderBy('key')
    .limit(size);
  // Only one lower bound. With two, SQLite seeks to the first and reads all rows before the second.
  query = 'from' in position ? query.where('key', '>=', position.from) : query.where('key', '>', position.after);
  if (end !== undefined) query = query.where('key', '<', end);
  return query.execute();
}
