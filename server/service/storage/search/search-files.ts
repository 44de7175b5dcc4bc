import type { Storage } from '../../identity/credential.js';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { isKeyBefore } from '../files/key-order.js';
import { columnsOfFilter, fileTest } from './file-filter.js';
import type { FileFilter, ScannedRow } from './file-filter.js';
import { readListedFiles } from './read-listed-files.js';
import { MAX_SCANNED, ROWS_OF_A_SEEK, rowsByKey } from './rows-by-key.js';
import { rowsByValue } from './rows-by-value.js';
import type { ValueColumn } from './rows-by-value.js';
import type { StoredFile } from '../types.js';

/** A folder with at most this many files is sorted in memory. The rows of a larger one are read in the order of an index. */
const MAX_SORTED_IN_MEMORY = 5000;

export interface SearchOptions {
  filter: FileFilter;
  sort: 'key' | ValueColumn;
  order: 'asc' | 'desc';
  /** Files at most. */
  limit: number;
  after?: SearchPosition | undefined;
}

/** The position after a file, from which a search continues. */
export interface SearchPosition {
  /** A key; with `direct` also a folder that was skipped. */
  key: string;
  /** The sorted value of the file. */
  value?: number;
  /** Whether the rows were read in the order of an index, see `MAX_SORTED_IN_MEMORY`. */
  byIndex?: boolean;
}

export interface SearchResult {
  files: StoredFile[];
  /** Null after the last match. A page may be short, even empty, before. */
  next: SearchPosition | null;
}

/** Rows of one read in the order of the result. */
interface Batch {
  rows: ScannedRow[];
  /** Work of the read, in rows. */
  cost: number;
  /** The position after the batch; undefined after the last one. */
  next: SearchPosition | undefined;
  byIndex?: boolean;
}

/** Finds files that match a filter, in any order. Reads a limited number of rows, however many files the bucket has. */
export async function searchFiles(context: StorageContext, storage: Storage, options: SearchOptions): Promise<SearchResult> {
  const { filter, sort, limit } = options;
  const matches = fileTest(filter);
  const keys: string[] = [];
  const pause = yieldToEventLoop();
  const end = async (next: SearchPosition | null): Promise<SearchResult> => ({
    files: await readListedFiles(context, storage, keys),
    next,
  });
  let scanned = 0;
  let last: SearchPosition | undefined;
  for await (const batch of batchesOf(context, storage, options)) {
    for (const row of batch.rows) {
      if (!matches(row)) continue;
      if (keys.length === limit) return end(last!);
      keys.push(row.key);
      last = { key: row.key, ...(sort !== 'key' && { value: row[sort]! }), ...(batch.byIndex && { byIndex: true }) };
    }
    scanned += batch.cost;
    if (scanned >= MAX_SCANNED && batch.next) return end(batch.next);
    await pause();
  }
  return end(null);
}

/**
 * Sorts the matches in one folder by a value. @returns undefined if the folder is too large to be sorted in memory
 * @param options with `filter.direct`, and `after` of a page of this function.
 */
export async function sortFolder(
  context: StorageContext,
  storage: Storage,
  options: SearchOptions & { sort: ValueColumn },
): Promise<SearchResult | undefined> {
  const { sort, limit } = options;
  const batch = await sortInMemory(context, storage, options, sort);
  if (!batch) return undefined;
  const page = batch.rows.slice(0, limit);
  const last = page.at(-1);
  const keys = page.map(({ key }) => key);
  return {
    files: await readListedFiles(context, storage, keys),
    next: last && batch.rows.length > limit ? { key: last.key, value: last[sort]! } : null,
  };
}

async function* batchesOf(context: StorageContext, storage: Storage, options: SearchOptions): AsyncGenerator<Batch> {
  const { sort, filter, after } = options;
  if (sort === 'key') {
    yield* batchesByKey(context, storage, options);
    return;
  }
  const isWholeBucket = (filter.prefix ?? '') === '' && !filter.direct;
  const sorted = after?.byIndex || isWholeBucket ? undefined : await sortInMemory(context, storage, options, sort);
  if (sorted) yield sorted;
  else yield* batchesByValue(context, storage, options, sort);
}

async function* batchesByKey(
  context: StorageContext,
  storage: Storage,
  { filter, order, after }: SearchOptions,
): AsyncGenerator<Batch> {
  const { prefix = '', direct = false } = filter;
  const scan = { prefix, direct, order, after: after?.key, columns: columnsOfFilter(filter) };
  for await (const { rows, next } of rowsByKey(context, storage, scan))
    yield { rows, cost: rows.length + ROWS_OF_A_SEEK, next: next === undefined ? undefined : { key: next } };
}

async function* batchesByValue(
  context: StorageContext,
  storage: Storage,
  { filter, order, after, limit }: SearchOptions,
  column: ValueColumn,
): AsyncGenerator<Batch> {
  const [min, max] = column === 'size' ? [filter.minSize, filter.maxSize] : [filter.updatedAfter, filter.updatedBefore];
  const position = after && { key: after.key, value: after.value! };
  const scan = { column, order, min, max, after: position, columns: columnsOfFilter(filter), firstRead: limit + 1 };
  for await (const rows of rowsByValue(context, storage, scan)) {
    const row = rows.at(-1);
    const next = row && { key: row.key, value: row[column]!, byIndex: true };
    yield { rows, cost: rows.length, next, byIndex: true };
  }
}

/** Sorts the matches of a small folder. @returns undefined for a large one. */
async function sortInMemory(
  context: StorageContext,
  storage: Storage,
  { filter, order, after }: SearchOptions,
  column: ValueColumn,
): Promise<Batch | undefined> {
  const matches = fileTest(filter);
  const { prefix = '', direct = false } = filter;
  const columns = [...new Set([...columnsOfFilter(filter), column])];
  const found: ScannedRow[] = [];
  let cost = 0;
  for await (const { rows } of rowsByKey(context, storage, { prefix, direct, order: 'asc', columns })) {
    cost += rows.length + ROWS_OF_A_SEEK;
    if (cost > MAX_SORTED_IN_MEMORY) return undefined;
    found.push(...rows.filter(matches));
  }
  const compare = (a: { key: string; value: number }, b: { key: string; value: number }) =>
    (order === 'asc' ? 1 : -1) * (a.value - b.value || (a.key === b.key ? 0 : isKeyBefore(a.key, b.key) ? -1 : 1));
  const placeOf = (row: ScannedRow) => ({ key: row.key, value: row[column]! });
  const position = after && { key: after.key, value: after.value! };
  const rows = found
    .filter((row) => !position || compare(placeOf(row), position) > 0)
    .toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  return { rows, cost, next: undefined };
}
