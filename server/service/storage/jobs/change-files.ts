import { BlobError } from '../../../../src/protocol/errors.js';
import { PATH } from '../../../../src/protocol/limits.js';
import { utf8Length } from '../../../../src/protocol/paths.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import type { StorageContext } from '../context.js';
import { lockBlobs } from '../files/blob-references.js';
import { changeRow } from '../files/change-row.js';
import { copyRow } from '../files/copy.js';
import { deleteFileRows } from '../files/delete.js';
import { segmentsOf } from '../files/file-rows.js';
import type { FileRow } from '../files/file-rows.js';
import { isLive } from '../files/lock-file.js';
import { changeKey } from '../files/move.js';
import { lockQuota } from '../files/usage.js';
import { targetKey } from './job.js';
import type { Job, JobFailure } from './job.js';
import type { JobFiles } from './job-files.js';

/** The result of one batch. */
export interface BatchResult {
  done: number;
  failures: JobFailure[];
}

type Change = Pick<Job, 'storage' | 'spec' | 'snapshotAt'>;

/** Changes the files of one batch within a transaction. Files that were updated after the job was created are left alone. */
export async function changeFiles(
  context: StorageContext,
  query: Query,
  job: Change,
  files: JobFiles['files'],
): Promise<BatchResult> {
  if (files.length === 0) return { done: 0, failures: [] };
  const isTransfer = job.spec.type === 'copy' || job.spec.type === 'move';
  // Keep the order of locks that files/lock-file.ts states.
  const quota = job.spec.type === 'copy' ? await lockQuota(query, job.storage.accountId) : null;
  const keys = files.map(({ key }) => key);
  const locked = await lockRows(
    context,
    query,
    job,
    isTransfer ? [...keys, ...keys.map((key) => targetKey(job.spec, key))] : keys,
  );
  const byKey = new Map(locked.map((row) => [row.key, row]));
  const rows = files.flatMap(({ id, key }) => {
    const row = byKey.get(key);
    return row?.id === id && row.updated_at <= job.snapshotAt ? [row] : [];
  });
  if (job.spec.type === 'delete') {
    await deleteFileRows(context, query, rows);
    return { done: rows.length, failures: [] };
  }
  if (isTransfer)
    await lockBlobs(
      context,
      query,
      locked.flatMap(segmentsOf).map(([id]) => id),
    );
  const result: BatchResult = { done: 0, failures: [] };
  for (const row of rows.filter((candidate) => isLive(candidate, context.now()))) {
    // An earlier move of the batch has replaced this file.
    if (byKey.get(row.key) !== row) continue;
    try {
      await changeFile(context, query, job, { row, byKey, quota });
      result.done += 1;
    } catch (cause) {
      // These errors are thrown before the first change to the file. Others end the transaction.
      if (!(cause instanceof BlobError)) throw cause;
      result.failures.push({ path: row.key, code: cause.code, message: cause.message });
    }
  }
  return result;
}

async function lockRows({ metadata }: StorageContext, query: Query, { storage }: Change, keys: string[]): Promise<FileRow[]> {
  const select = query
    .selectFrom('files')
    .selectAll()
    .where('bucket_id', '=', storage.bucketId)
    .where('key', 'in', [...new Set(keys)])
    .orderBy('id');
  return metadata.forUpdate(select).execute();
}

interface FileChange {
  row: FileRow;
  /** The locked rows of the batch, by their current keys. */
  byKey: Map<string, FileRow>;
  quota: number | null;
}

async function changeFile(
  context: StorageContext,
  query: Query,
  { storage, spec }: Change,
  { row, byKey, quota }: FileChange,
): Promise<void> {
  if (spec.type === 'visibility') {
    if (row.visibility !== spec.visibility!) await changeRow(context, query, row, { visibility: spec.visibility! });
    return;
  }
  const { key } = row;
  const target = targetKey(spec, key);
  const conditions = { overwrite: spec.overwrite ?? false };
  if (target === key) return;
  // The marker of a folder whose content moves to the root.
  if (target === '') {
    if (spec.type === 'move') await deleteFileRows(context, query, [row]);
    return;
  }
  assertKeyLength(target);
  if (spec.type === 'copy') {
    await copyRow(context, query, { row, to: storage, key: target, conditions, quota });
    return;
  }
  const moved = await changeKey(context, query, { row, target: byKey.get(target) }, target, conditions);
  byKey.delete(key);
  byKey.set(target, moved);
}

function assertKeyLength(key: string): void {
  const length = utf8Length(key);
  if (length > PATH.maxBytes)
    throw new BlobError('INVALID_PATH', `The new path may have at most ${PATH.maxBytes} bytes; it has ${length}.`, {
      details: { path: key },
    });
}
