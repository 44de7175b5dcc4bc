import type { Query } from '../../drivers/metadata/metadata.js';
import { recordActivity } from '../../identity/activities/record-activity.js';
import { assertCreatorMay, assertCreatorMayAtCommit } from '../../identity/creator-rights.js';
import type { StorageContext } from '../context.js';
import { changeFiles } from './change-files.js';
import type { BatchResult } from './change-files.js';
import { JOB_WRITE, scopesOf } from './job.js';
import type { Job } from './job.js';
import type { JobFiles } from './job-files.js';

/** Failures that a job lists. */
const MAX_FAILURES = 100;
/** A process that dies keeps its job for this long. */
export const LEASE_MS = 20_000;

/** A job that this process works on. */
export interface LeasedJob extends Job {
  leaseId: string;
  position: string | null;
}

/** Selects and locks the row of a job if this process still works on it. The first lock of the transaction. */
async function lockLeased({ metadata }: StorageContext, query: Query, { id, leaseId }: LeasedJob) {
  const select = query.selectFrom('jobs').selectAll().where('id', '=', id).where('lease_id', '=', leaseId);
  return metadata.forUpdate(select.where('finished_at', 'is', null)).executeTakeFirst();
}

/**
 * Changes the files of a batch and moves the position of the job in one transaction, so that each file is changed and counted once, however
 * often the service is killed.
 * @returns undefined if the job was cancelled or another process has taken it over.
 * @throws what `assertCreatorMay` throws when the creator has lost the right.
 */
export async function runBatch(context: StorageContext, job: LeasedJob, batch: JobFiles): Promise<BatchResult | undefined> {
  const { metadata } = context;
  const scopes = scopesOf(job.spec);
  const { accountId } = job.storage;
  const options = job.spec.type === 'delete' ? JOB_WRITE : {};
  return metadata.write(async (query) => {
    const row = await lockLeased(context, query, job);
    if (!row) return undefined;
    await assertCreatorMay(query, job.creator, accountId, scopes);
    const result = await changeFiles(context, query, job, batch.files);
    const failures = [...(JSON.parse(row.failures_json) as unknown[]), ...result.failures].slice(0, MAX_FAILURES);
    await query
      .updateTable('jobs')
      .set((e) => ({
        position: batch.position,
        done: e('done', '+', result.done),
        failed: e('failed', '+', result.failures.length),
        failures_json: JSON.stringify(failures),
        failed_turns: 0,
        lease_until: e(metadata.clock, '+', LEASE_MS),
      }))
      .where('id', '=', job.id)
      .execute();
    await assertCreatorMayAtCommit(metadata, query, job.creator, accountId, scopes);
    return result;
  }, options);
}

/** Ends a job and writes its result into the activity log. @returns false if this process does not work on it any more. */
export async function finishJob(context: StorageContext, job: LeasedJob, error: Job['error'] = null): Promise<boolean> {
  return context.metadata.write(async (query) => {
    const row = await lockLeased(context, query, job);
    if (!row) return false;
    const now = context.now();
    await query
      .updateTable('jobs')
      .set({
        state: error ? 'failed' : 'done',
        error_json: error && JSON.stringify(error),
        // Files may have been deleted since they were counted.
        ...(!error && { total: row.done + row.failed }),
        finished_at: now,
        lease_id: null,
        lease_until: null,
      })
      .where('id', '=', job.id)
      .execute();
    const { type, source, to } = job.spec;
    await recordActivity(query, job.creator, now, {
      accountId: job.storage.accountId,
      action: 'job.finished',
      targetType: 'job',
      targetId: job.id,
      status: error || row.failed > 0 ? 'failure' : 'success',
      details: {
        type,
        ...('prefix' in source && { prefix: source.prefix }),
        ...(to !== undefined && { to }),
        done: row.done,
        failed: row.failed,
        ...(error && { code: error.code }),
      },
    });
    return true;
  }, JOB_WRITE);
}
