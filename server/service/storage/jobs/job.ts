import type { Selectable } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import { baseName } from '../../../../src/protocol/paths.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { Visibility } from '../../../../src/protocol/types.js';
import type { JobsTable } from '../../drivers/metadata/job-tables.js';
import type { WriteOptions } from '../../drivers/metadata/metadata.js';
import type { Creator } from '../../identity/creator.js';
import type { Storage } from '../../identity/credential.js';
import type { Scope } from '../../identity/scopes.js';
import type { FileFilter } from '../search/file-filter.js';

/** The result of a finished job is kept for a week. */
export const KEEP_JOBS_MS = 7 * 86_400_000;

/** Clocks of replicas differ by less, ms. */
export const MAX_CLOCK_ERROR_MS = 5000;

/** Options of writes to the row of a job. People delete files with jobs when their disk is full. */
export const JOB_WRITE: WriteOptions = { freesSpace: true };

export type JobType = JobsTable['type'];

/** The files of a job: a folder with a slash at its end (empty for all files), ids, or the matches of a search. */
export type JobSource = { prefix: string } | { ids: string[] } | { search: FileFilter };

/** The files and the change of a job. */
export interface JobSpec {
  type: JobType;
  source: JobSource;
  /** For copies and moves: the target folder with a slash at its end; empty for the root. */
  to?: string;
  /** For copies and moves: whether existing files are replaced. */
  overwrite?: boolean;
  visibility?: Visibility;
}

/** A file that a job could not change. */
export interface JobFailure {
  path: string;
  code: string;
  message: string;
}

/** A job and its progress. Times in ms since 1970. */
export interface Job {
  id: string;
  storage: Storage;
  spec: JobSpec;
  state: JobsTable['state'];
  creator: Creator;
  /** The name of the creator, for people. */
  author: string | null;
  /** The job leaves files alone that were updated after this time. */
  snapshotAt: number;
  /** Files; null until they are counted. */
  total: number | null;
  done: number;
  failed: number;
  failures: JobFailure[];
  error: { code: string; message: string } | null;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

export const toJob = (row: Selectable<JobsTable>): Job => ({
  id: row.id,
  storage: { accountId: row.account_id, bucketId: row.bucket_id },
  spec: JSON.parse(row.spec_json) as JobSpec,
  state: row.state,
  creator: JSON.parse(row.creator_json) as Creator,
  author: row.author,
  snapshotAt: row.snapshot_at,
  total: row.total,
  done: row.done,
  failed: row.failed,
  failures: JSON.parse(row.failures_json) as JobFailure[],
  error: row.error_json === null ? null : (JSON.parse(row.error_json) as Job['error']),
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});

export const jobNotFound = (id: string): BlobError =>
  platformError('JOB_NOT_FOUND', `There is no job ${id}.`, { details: { id } });

/** Lists the scopes that a change needs. A key could read private files by making them public. */
export const scopesOf = ({ visibility }: Pick<JobSpec, 'visibility'>): Scope[] =>
  visibility === 'public' ? ['blob:write', 'blob:read'] : ['blob:write'];

/** Returns the key to which a job copies or moves a file. The target gets the same subfolders as the source; files by id land directly in it. */
export function targetKey({ source, to = '' }: JobSpec, key: string): string {
  if ('ids' in source) return to + baseName(key);
  const prefix = 'prefix' in source ? source.prefix : (source.search.prefix ?? '');
  return to + key.slice(prefix.lastIndexOf('/') + 1);
}
