import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { LISTED_COLUMNS, toStoredFile } from './file-rows.js';
import type { Listing, ListOptions } from '../types.js';
import type { Storage } from '../../identity/credential.js';

/**
 * Returns the first key after all keys that start with `prefix`, in UTF-8 byte order, which is code point order.
 * @returns undefined if there is none.
 */
export function firstKeyAfterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    // Code points from 0xd800 to 0xdfff are surrogates, not characters.
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/** Compares keys in UTF-8 byte order. */
export const isKeyBefore = (key: string, other: string): boolean => Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0;

/** Rows of the first read with a delimiter. */
const ROLLED_UP_READ = 16;
/** Rows of one read at most. For files in thousands of parts, SQLite reads the large columns between the listed ones. */
const MAX_READ = 100;

export async function listFiles(context: StorageContext, storage: Storage, options: ListOptions): Promise<Listing> {
  const { prefix = '', delimiter = '', limit } = options;
  const listing: Listing = { files: [], prefixes: [], next: null };
  const count = () => listing.files.length + listing.prefixes.length;
  const end = firstKeyAfterPrefix(prefix);
  const folderOf = (key: string): string | undefined => {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  };

  let { after } = options;
  /** First key of the next read, inclusive. Used to skip a folder. */
  let from: string | undefined = prefix;
  if (after !== undefined && after.startsWith(prefix) && folderOf(after) === after) {
    from = firstKeyAfterPrefix(after);
    if (from === undefined) return listing;
    after = undefined;
  }
  // With a delimiter, most rows of a large read would be in the first folder, so reads start small.
  const first = delimiter === '' ? limit + 1 : ROLLED_UP_READ;
  let batch = first;
  const pause = yieldToEventLoop();
  while (from !== undefined) {
    const size = Math.min(batch, limit + 1 - count(), MAX_READ);
    let query = context.metadata.db
      .selectFrom('files')
      .select(LISTED_COLUMNS)
      .where('bucket_id', '=', storage.bucketId)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', context.now())]))
      .orderBy('key')
      .limit(size);
    // Only one lower bound. With two, SQLite seeks to the first and reads all rows before the second.
    query = after === undefined || isKeyBefore(after, from) ? query.where('key', '>=', from) : query.where('key', '>', after);
    if (end !== undefined) query = query.where('key', '<', end);
    const rows = await query.execute();
    let skipped: string | undefined;
    for (const row of rows) {
      const folder = folderOf(row.key);
      if (count() === limit) {
        listing.next = after ?? null;
        return listing;
      }
      if (folder !== undefined) {
        listing.prefixes.push(folder);
        after = folder;
        skipped = folder;
        break;
      }
      listing.files.push(toStoredFile({ ...row, parts_json: null }));
      after = row.key;
    }
    if (skipped === undefined) {
      if (rows.length < size) return listing;
      batch *= 2;
    } else {
      from = firstKeyAfterPrefix(skipped);
      batch = first;
    }
    await pause();
  }
  return listing;
}
