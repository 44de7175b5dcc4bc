import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Storage } from '../../identity/credential.js';
import type { StorageContext } from '../context.js';
import type { ScannedRow } from './file-filter.js';
import { BATCH } from './rows-by-key.js';

/** The columns with an index of `(bucket_id, column, key)`. */
export type ValueColumn = 'size' | 'updated_at';

export interface ValuePosition {
  value: number;
  key: string;
}

export interface ValueScan {
  column: ValueColumn;
  order: 'asc' | 'desc';
  /** Smallest and largest value, inclusive. */
  min?: number | undefined;
  max?: number | undefined;
  after?: ValuePosition | undefined;
  columns: readonly (keyof ScannedRow)[];
  /** Rows of the first read. */
  firstRead: number;
}

/** Reads the rows of a bucket in the order of their sizes or times, then of their keys. Includes expired files. */
export async function* rowsByValue(context: StorageContext, storage: Storage, scan: ValueScan): AsyncGenerator<ScannedRow[]> {
  let readSize = Math.min(scan.firstRead, BATCH);
  let { after } = scan;
  for (;;) {
    const rows = await readRows(context, storage, scan, after, readSize);
    yield rows;
    if (rows.length < readSize) return;
    const { key, [scan.column]: value } = rows.at(-1)!;
    after = { key, value: value! };
    readSize = Math.min(readSize * 2, BATCH);
  }
}

function readRows(
  { metadata }: StorageContext,
  { bucketId }: Storage,
  { column, order, min, max, columns }: ValueScan,
  after: ValuePosition | undefined,
  size: number,
): Promise<ScannedRow[]> {
  const isAscending = order === 'asc';
  let query = metadata.db
    .selectFrom('files')
    .select([...new Set([...columns, column])])
    .where('bucket_id', '=', bucketId)
    .orderBy(column, order)
    .orderBy('key', order)
    .limit(size);
  // One bound at each end. With two, SQLite may seek to the wider one.
  if (after) {
    const place = sql`(${sql.ref(column)}, key)`;
    const limit = sql`(${after.value}, ${after.key})`;
    query = query.where(isAscending ? sql<SqlBool>`${place} > ${limit}` : sql<SqlBool>`${place} < ${limit}`);
  }
  if (min !== undefined && !(after && isAscending)) query = query.where(column, '>=', min);
  if (max !== undefined && !(after && !isAscending)) query = query.where(column, '<=', max);
  return query.execute();
}
