import { platformError } from '../../../../src/protocol/platform-errors.js';
import { creatorName, recordActivity } from '../../identity/activities/record-activity.js';
import type { Creator } from '../../identity/creator.js';
import type { Storage } from '../../identity/credential.js';
import { lockAccount } from '../../identity/lock-account.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { newId } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { JOB_WRITE, jobNotFound, MAX_CLOCK_ERROR_MS, toJob } from './job.js';
import type { Job, JobSpec } from './job.js';
import { JobRunner } from './job-runner.js';
import type { JobRunnerOptions } from './job-runner.js';

/** Unfinished jobs of an account, at most. */
export const MAX_UNFINISHED_JOBS = 20;
/** A page has fewer jobs than one of files has files, because a record may have 100 KB. */
export const MAX_JOBS_PAGE = 100;
/** Records of jobs that an account keeps, at most. */
const MAX_RECORDS = 1000;
/** Records that a new job deletes, at most. */
const DELETED_RECORDS = 10;

export interface ListJobsOptions {
  /** Only jobs that have not finished. */
  unfinished?: boolean;
  limit?: number;
  /** Id of the last job of the previous page. */
  after?: string | undefined;
}

/** Changes to many files. They run in the service, survive restarts, and are shared by replicas. */
export class Jobs {
  readonly #runner: JobRunner;

  constructor(private readonly context: StorageContext) {
    this.#runner = new JobRunner(context);
  }

  /** Works on jobs until the returned function is called. It resolves when the last batch has ended. */
  start(options: JobRunnerOptions): () => Promise<void> {
    return this.#runner.start(options);
  }

  /** Creates a job. The caller authorizes it before. @throws `JOB_LIMIT_REACHED` */
  async create(storage: Storage, spec: JobSpec, creator: Creator): Promise<Job> {
    const { metadata, now } = this.context;
    const job = await metadata.write(async (query) => {
      await lockAccount(metadata, query, storage.accountId);
      const unfinished = query.selectFrom('jobs').where('account_id', '=', storage.accountId).where('finished_at', 'is', null);
      const { count } = await unfinished.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      if (Number(count) >= MAX_UNFINISHED_JOBS)
        throw platformError('JOB_LIMIT_REACHED', `An account may have ${MAX_UNFINISHED_JOBS} unfinished jobs.`, {
          details: { limit: MAX_UNFINISHED_JOBS },
        });
      const createdAt = now();
      const row = await query
        .insertInto('jobs')
        .values({
          id: newId('job'),
          account_id: storage.accountId,
          bucket_id: storage.bucketId,
          type: spec.type,
          state: 'queued',
          spec_json: JSON.stringify(spec),
          snapshot_at: await snapshotTime(query, storage, createdAt),
          creator_json: JSON.stringify(creator),
          author: await creatorName(query, creator),
          position: null,
          total: 'ids' in spec.source ? spec.source.ids.length : null,
          done: 0,
          failed: 0,
          failures_json: '[]',
          error_json: null,
          lease_id: null,
          lease_until: null,
          failed_turns: 0,
          turn_at: createdAt,
          created_at: createdAt,
          started_at: null,
          finished_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await deleteOldest(query, storage);
      return toJob(row);
    }, JOB_WRITE);
    this.#runner.wake();
    return job;
  }

  /** Lists jobs, newest first. @returns one more than `limit` if there is another page. */
  async list({ bucketId }: Storage, { unfinished, limit = MAX_JOBS_PAGE, after }: ListJobsOptions = {}): Promise<Job[]> {
    const { db } = this.context.metadata;
    let query = db
      .selectFrom('jobs')
      .selectAll()
      .where('bucket_id', '=', bucketId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (unfinished) query = query.where('finished_at', 'is', null);
    if (after !== undefined) {
      const { created_at, id } = await db
        .selectFrom('jobs')
        .select(['created_at', 'id'])
        .where('bucket_id', '=', bucketId)
        .where('id', '=', after)
        .executeTakeFirstOrThrow(() => jobNotFound(after));
      query = query.where((e) =>
        e.or([e('created_at', '<', created_at), e.and([e('created_at', '=', created_at), e('id', '<', id)])]),
      );
    }
    return (await query.execute()).map(toJob);
  }

  /** @returns undefined if the job is unknown, or has ended long ago. */
  async get({ bucketId }: Storage, id: string): Promise<Job | undefined> {
    const { db } = this.context.metadata;
    const select = db.selectFrom('jobs').selectAll().where('bucket_id', '=', bucketId).where('id', '=', id);
    const row = await select.executeTakeFirst();
    return row && toJob(row);
  }

  /** Cancels a job. The batch that runs ends first; its files stay changed. A finished job stays as it is. @throws `JOB_NOT_FOUND` */
  cancel({ accountId, bucketId }: Storage, id: string, creator: Creator): Promise<Job> {
    const { metadata, now } = this.context;
    return metadata.write(async (query) => {
      const select = query.selectFrom('jobs').selectAll().where('bucket_id', '=', bucketId).where('id', '=', id);
      const row = await metadata.forUpdate(select).executeTakeFirst();
      if (!row) throw jobNotFound(id);
      if (row.finished_at !== null) return toJob(row);
      const cancelled = await query
        .updateTable('jobs')
        .set({ state: 'cancelled', finished_at: now(), lease_id: null, lease_until: null })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const details = { type: row.type, done: row.done, failed: row.failed };
      const target = { targetType: 'job', targetId: id };
      await recordActivity(query, creator, now(), { accountId, action: 'job.cancelled', ...target, details });
      return toJob(cancelled);
    }, JOB_WRITE);
  }
}

/** Returns the time of the newest file, because the replica that stored it may have a clock ahead of this one. */
async function snapshotTime(query: Query, { bucketId }: Storage, now: number): Promise<number> {
  const newest = await query
    .selectFrom('files')
    .select('updated_at')
    .where('bucket_id', '=', bucketId)
    .where('updated_at', '>', now)
    .where('updated_at', '<', now + MAX_CLOCK_ERROR_MS)
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.updated_at ?? now;
}

/** Deletes the oldest finished records beyond `MAX_RECORDS`, because they do not count towards the quota. */
async function deleteOldest(query: Query, { bucketId }: Storage): Promise<void> {
  const oldest = await query
    .selectFrom('jobs')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(MAX_RECORDS)
    .limit(DELETED_RECORDS)
    .execute();
  if (oldest.length === 0) return;
  const ids = oldest.map(({ id }) => id);
  await query.deleteFrom('jobs').where('id', 'in', ids).where('finished_at', 'is not', null).execute();
}
