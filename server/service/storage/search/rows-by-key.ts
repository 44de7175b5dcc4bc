import type { Storage } from '../../identity/credential.js';
import { commonPrefixOf, firstKeyAfterPrefix, isKeyBefore } from '../files/key-order.js';
import type { StorageContext } from '../context.js';
import type { ScannedRow } from './file-filter.js';

/** Rows of the first read, and of the first read after a folder was skipped. */
const FIRST_READ = 16;
/** Rows of one read at most. SQLite reads in the main thread, so a larger read would delay other requests. */
export const BATCH = 2000;

/** Rows that one request reads at most. A seek over a folder counts as the rows of one small read. */
export const MAX_SCANNED = 50_000;
export const ROWS_OF_A_SEEK = 16;

export interface KeyScan {
  /** The start of the keys. */
  prefix: string;
  /** Skips the files in folders below `prefix` with one seek for each folder. */
  direct: boolean;
  order: 'asc' | 'desc';
  /** Continues after this key, or after the folder if it ends in a slash and `direct` is set. */
  after?: string | undefined;
  columns: readonly (keyof ScannedRow)[];
}

/** Rows of one read. */
export interface KeyBatch {
  rows: ScannedRow[];
  /** The folder that follows the rows and is skipped. Only with `direct`. */
  folder?: string;
  /** Value of `after` that continues after this batch; undefined after the last batch. */
  next: string | undefined;
}

/** Bounds of a read. `from` is inclusive, the others are exclusive. */
interface Bounds {
  from?: string;
  after?: string;
  before?: string;
}

/** Reads rows in the order of their keys, including expired files. */
export async function* rowsByKey(context: StorageContext, storage: Storage, scan: KeyScan): AsyncGenerator<KeyBatch> {
  let readSize = FIRST_READ;
  let { after } = scan;
  for (;;) {
    const bounds = boundsOf(scan, after);
    if (!bounds) return;
    const rows = await readRows(context, storage, scan, bounds, readSize);
    const indexInFolder = scan.direct ? rows.findIndex(({ key }) => commonPrefixOf(key, scan.prefix, '/') !== undefined) : -1;
    if (indexInFolder !== -1) {
      const folder = commonPrefixOf(rows[indexInFolder]!.key, scan.prefix, '/')!;
      yield { rows: rows.slice(0, indexInFolder), folder, next: folder };
      after = folder;
      readSize = FIRST_READ;
      continue;
    }
    after = rows.length < readSize ? undefined : rows.at(-1)!.key;
    yield { rows, next: after };
    if (after === undefined) return;
    readSize = Math.min(readSize * 2, BATCH);
  }
}

/** @returns undefined if no key can follow. */
function boundsOf({ prefix, direct, order }: KeyScan, after: string | undefined): Bounds | undefined {
  const end = firstKeyAfterPrefix(prefix);
  const inPrefix: Bounds = { from: prefix, ...(end !== undefined && { before: end }) };
  if (after === undefined) return inPrefix;
  if (order === 'desc') return end === undefined || isKeyBefore(after, end) ? { ...inPrefix, before: after } : inPrefix;
  const { from: _, ...upper } = inPrefix;
  if (direct && commonPrefixOf(after, prefix, '/') === after) {
    const from = firstKeyAfterPrefix(after);
    return from === undefined ? undefined : { ...upper, from };
  }
  return isKeyBefore(after, prefix) ? inPrefix : { ...upper, after };
}

function readRows(
  { metadata }: StorageContext,
  { bucketId }: Storage,
  { order, columns }: KeyScan,
  { from, after, before }: Bounds,
  size: number,
): Promise<ScannedRow[]> {
  let query = metadata.db.selectFrom('files').select(columns).where('bucket_id', '=', bucketId).orderBy('key', order).limit(size);
  if (from !== undefined) query = query.where('key', '>=', from);
  if (after !== undefined) query = query.where('key', '>', after);
  if (before !== undefined) query = query.where('key', '<', before);
  return query.execute();
}
