import type { StorageContext } from '../context.js';
import { idsOfOneTransaction, ID_AND_SEGMENT_BYTES } from '../files/delete.js';
import { fileTest } from '../search/file-filter.js';
import type { FileFilter } from '../search/file-filter.js';
import { columnsOfFilter } from '../search/file-filter.js';
import { rowsByKey, ROWS_OF_A_SEEK } from '../search/rows-by-key.js';
import type { KeyBatch } from '../search/rows-by-key.js';
import { targetKey } from './job.js';
import type { Job } from './job.js';

/** Files of one transaction. Copies and moves run several queries for each file. */
const FILES_PER_BATCH = { delete: 500, visibility: 500, copy: 50, move: 50 } as const;
/** Rows after which the position is saved, even if few of them match. A folder that the job skips costs `ROWS_OF_A_SEEK`. */
const ROWS_PER_BATCH = 10_000;
/** A job with more rows has no total until it ends. */
const MAX_COUNTED = 1_000_000;

/** Files that one transaction of a job changes. */
export interface JobFiles {
  /** Empty if the rows since the last position match no filter. */
  files: { id: string; key: string }[];
  /** The position after these files. */
  position: string;
}

type Source = Pick<Job, 'storage' | 'spec'>;

const filterOf = ({ spec: { source } }: Source): FileFilter =>
  'prefix' in source ? { prefix: source.prefix } : 'search' in source ? source.search : {};

/** Returns whether a job changes a key. A folder is changed with its markers; a search does not find them. */
function testOf({ spec }: Source) {
  return 'search' in spec.source ? fileTest(spec.source.search) : () => true;
}

/** Reads the files of a job in the order of their keys or ids, from a position. */
export async function* filesOfJob(context: StorageContext, job: Source, position: string | null): AsyncGenerator<JobFiles> {
  const batches = 'ids' in job.spec.source ? idBatches(context, job, position) : keyBatches(context, job, position);
  for await (const { rows, position: end } of batches) {
    let remaining = rows;
    do {
      // A file in thousands of parts may need a transaction of its own.
      const ids = new Set(idsOfOneTransaction(remaining));
      const files = remaining.slice(0, ids.size);
      remaining = remaining.slice(ids.size);
      yield { files, position: remaining.length > 0 ? files.at(-1)!.place : end };
    } while (remaining.length > 0);
  }
}

interface Row {
  id: string;
  key: string;
  segment_bytes: number;
  /** The position after this file. */
  place: string;
}

interface Batch {
  rows: Row[];
  position: string;
}

async function* idBatches(context: StorageContext, { storage, spec }: Source, position: string | null): AsyncGenerator<Batch> {
  const { ids } = spec.source as { ids: string[] };
  const size = FILES_PER_BATCH[spec.type];
  for (let start = Number(position ?? 0); start < ids.length; start += size) {
    const batch = ids.slice(start, start + size);
    const rows = await addTargets(context, { storage, spec }, await selectRows(context, storage, 'id', batch));
    const byId = new Map(rows.map((row) => [row.id, row]));
    const found = batch.flatMap((id, index) => {
      const row = byId.get(id);
      return row ? [{ ...row, place: String(start + index + 1) }] : [];
    });
    yield { rows: found, position: String(start + batch.length) };
  }
}

async function* keyBatches(context: StorageContext, job: Source, position: string | null): AsyncGenerator<Batch> {
  const filter = filterOf(job);
  const matches = testOf(job);
  const size = FILES_PER_BATCH[job.spec.type];
  let keys: string[] = [];
  let scanned = 0;
  let last = position ?? '';
  const scan = { prefix: filter.prefix ?? '', direct: filter.direct ?? false, order: 'asc' as const };
  const columns = columnsOfFilter(filter);
  for await (const batch of rowsByKey(context, job.storage, { ...scan, columns, after: position ?? undefined })) {
    const rows = batch.rows.map((row) => ({ place: row.key, cost: 1, isMatch: matches(row) }));
    const { folder } = batch;
    const steps = folder === undefined ? rows : [...rows, { place: folder, cost: ROWS_OF_A_SEEK, isMatch: false }];
    for (const { place, cost, isMatch } of steps) {
      scanned += cost;
      last = place;
      if (isMatch) keys.push(place);
      if (keys.length < size && scanned < ROWS_PER_BATCH) continue;
      yield { rows: await readRows(context, job, keys), position: last };
      keys = [];
      scanned = 0;
    }
  }
  if (keys.length > 0) yield { rows: await readRows(context, job, keys), position: last };
}

async function readRows(context: StorageContext, job: Source, keys: readonly string[]): Promise<Row[]> {
  const rows = await addTargets(context, job, await selectRows(context, job.storage, 'key', keys));
  return rows.map((row) => ({ ...row, place: row.key }));
}

type SelectedRow = Omit<Row, 'place'>;

async function selectRows(
  { metadata }: StorageContext,
  { bucketId }: Source['storage'],
  column: 'id' | 'key',
  values: readonly string[],
): Promise<SelectedRow[]> {
  if (values.length === 0) return [];
  return metadata.db
    .selectFrom('files')
    .select([...ID_AND_SEGMENT_BYTES, 'key'])
    .where('bucket_id', '=', bucketId)
    .where(column, 'in', values)
    .orderBy('key')
    .execute();
}

/** Adds the parts of the files that a job replaces, because the same transaction deletes them. */
async function addTargets(context: StorageContext, { storage, spec }: Source, rows: SelectedRow[]): Promise<SelectedRow[]> {
  if (!spec.overwrite) return rows;
  const targets = await selectRows(
    context,
    storage,
    'key',
    rows.map(({ key }) => targetKey(spec, key)),
  );
  const bytesOf = new Map(targets.map((target) => [target.key, Number(target.segment_bytes)]));
  return rows.map((row) => ({
    ...row,
    segment_bytes: Number(row.segment_bytes) + (bytesOf.get(targetKey(spec, row.key)) ?? 0),
  }));
}

const costOf = ({ rows, folder }: KeyBatch): number => rows.length + (folder === undefined ? 0 : ROWS_OF_A_SEEK);

/**
 * Counts the files of a job.
 * @param mayContinue runs between reads.
 * @returns null if there are too many to count, or the count may not continue.
 */
export async function countFiles(
  context: StorageContext,
  job: Source,
  mayContinue: () => Promise<boolean>,
): Promise<number | null> {
  const filter = filterOf(job);
  const matches = testOf(job);
  const scan = { prefix: filter.prefix ?? '', direct: filter.direct ?? false, order: 'asc' as const };
  let count = 0;
  let scanned = 0;
  for await (const batch of rowsByKey(context, job.storage, { ...scan, columns: columnsOfFilter(filter) })) {
    count += batch.rows.filter(matches).length;
    scanned += costOf(batch);
    if (scanned > MAX_COUNTED || !(await mayContinue())) return null;
  }
  return count;
}
