import { setTimeout as sleep } from 'node:timers/promises';
import { BlobError } from '../../../../src/protocol/errors.js';
import { randomText } from '../../runtime/ids.js';
import { PollingLoop } from '../../runtime/polling-loop.js';
import { yieldToEventLoop } from '../../runtime/yield-to-event-loop.js';
import type { StorageContext } from '../context.js';
import { storageFailure } from '../storage-failure.js';
import { JOB_WRITE, MAX_CLOCK_ERROR_MS, toJob } from './job.js';
import type { Job, JobType } from './job.js';
import { countFiles, filesOfJob } from './job-files.js';
import { finishJob, LEASE_MS, runBatch } from './run-batch.js';
import type { LeasedJob } from './run-batch.js';

/** A job runs for this long, then the job that waited longest has its turn. */
const TURN_MS = 1000;
/** Interval at which an idle process looks for the jobs of other processes. */
const POLL_MS = 2000;
/** A job fails after as many turns that failed for an unknown reason. */
const MAX_FAILED_TURNS = 5;

export interface JobProgress {
  type: JobType;
  done: number;
  failed: number;
  /** Set when the job has ended. */
  state?: 'done' | 'failed';
}

export interface JobRunnerOptions {
  /** Whether no other process works on the data. Jobs of a killed process then continue at once. */
  isAlone: boolean;
  onProgress?(progress: JobProgress): void;
  onFailure(cause: unknown): void;
}

/** Works on the jobs of all accounts, one at a time, in turns. A lease in the database gives each job to one process. */
export class JobRunner {
  #loop: PollingLoop | undefined;

  constructor(private readonly context: StorageContext) {}

  /** Looks for a new job at once. */
  wake(): void {
    this.#loop?.wake();
  }

  /** @returns a function that stops the work, after the batch that runs. */
  start(options: JobRunnerOptions): () => Promise<void> {
    const { isAlone, onFailure } = options;
    const loop = new PollingLoop({ interval: POLL_MS, round: (signal) => this.#round(options, signal), onFailure });
    this.#loop = loop;
    const started = (isAlone ? this.#endLeases().catch(onFailure) : Promise.resolve()).then(() => loop.start());
    return async () => void (await Promise.all([loop.stop(), started]));
  }

  /** Gives one job its turn. @returns the time until the next round, ms. */
  async #round(options: JobRunnerOptions, signal: AbortSignal): Promise<number> {
    const job = await this.#lease();
    if (!job) return POLL_MS;
    await this.#takeTurn(job, options, signal);
    return 0;
  }

  async #endLeases(): Promise<void> {
    await this.context.metadata.write((query) =>
      query.updateTable('jobs').set({ lease_id: null, lease_until: null }).where('finished_at', 'is', null).execute(),
    );
  }

  /** Takes the unfinished job that waited longest and that no other process works on. */
  async #lease(): Promise<LeasedJob | undefined> {
    const { metadata, now } = this.context;
    const select = (query: typeof metadata.db) =>
      query
        .selectFrom('jobs')
        .select('id')
        .where('finished_at', 'is', null)
        .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<', metadata.clock)]))
        .orderBy('turn_at')
        .limit(1);
    // Most of the time there is no job, and reading is cheaper than a transaction.
    if (!(await select(metadata.db).executeTakeFirst())) return undefined;
    return metadata.write(
      async (query) => {
        const found = await metadata.forUpdateSkipLocked(select(query)).executeTakeFirst();
        if (!found) return undefined;
        const leaseId = randomText(26);
        const row = await query
          .updateTable('jobs')
          .set((e) => ({
            state: 'running',
            lease_id: leaseId,
            lease_until: e(metadata.clock, '+', LEASE_MS),
            started_at: e.fn.coalesce('started_at', e.val(now())),
          }))
          .where('id', '=', found.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { ...toJob(row), leaseId, position: row.position };
      },
      { ...JOB_WRITE, durable: false },
    );
  }

  /** Runs batches until the turn, the job or the process ends. */
  async #takeTurn(job: LeasedJob, options: JobRunnerOptions, signal: AbortSignal): Promise<void> {
    const end = performance.now() + TURN_MS;
    try {
      await this.#waitForSnapshot(job, signal);
      if (!(await this.#count(job, signal))) return;
      for await (const batch of filesOfJob(this.context, job, job.position)) {
        const result = await runBatch(this.context, job, batch);
        if (!result) return;
        options.onProgress?.({ type: job.spec.type, done: result.done, failed: result.failures.length });
        if (signal.aborted || performance.now() > end) {
          await this.#release(job);
          return;
        }
      }
      await this.#finish(job, options, null);
    } catch (cause) {
      await this.#endFailedTurn(job, options, signal, cause);
    }
  }

  /** Waits until this clock has passed the snapshot, so that the job's own copies and moves are later and it does not change them again. */
  async #waitForSnapshot({ snapshotAt }: LeasedJob, signal: AbortSignal): Promise<void> {
    const ms = snapshotAt - this.context.now() + 1;
    if (ms > 0) await sleep(Math.min(ms, MAX_CLOCK_ERROR_MS), undefined, { signal });
  }

  async #endFailedTurn(job: LeasedJob, options: JobRunnerOptions, signal: AbortSignal, cause: unknown): Promise<void> {
    if (signal.aborted) return void (await this.#release(job));
    const failure = cause instanceof BlobError ? cause : storageFailure(cause);
    if (failure && failure.code !== 'SERVICE_UNAVAILABLE')
      return this.#finish(job, options, { code: failure.code, message: failure.message });
    options.onFailure(cause);
    // A job waits for a database that is away, however long that takes.
    const failures = failure ? 0 : 1;
    if ((await this.#release(job, { failures, afterMs: POLL_MS })) < MAX_FAILED_TURNS) return;
    const message = 'The job failed several times. The log of the service has the reason.';
    await this.#finish(job, options, { code: 'INTERNAL_SERVER_ERROR', message });
  }

  async #finish(job: LeasedJob, { onProgress }: JobRunnerOptions, error: Job['error']): Promise<void> {
    if (await finishJob(this.context, job, error))
      onProgress?.({ type: job.spec.type, done: 0, failed: 0, state: error ? 'failed' : 'done' });
  }

  /** Counts the files of a new job, so that people see how far it is. @returns false if this process does not work on it any more. */
  async #count(job: LeasedJob, signal: AbortSignal): Promise<boolean> {
    if (job.total !== null || job.position !== null) return true;
    const pause = yieldToEventLoop();
    let renewAt = performance.now() + TURN_MS;
    const total = await countFiles(this.context, job, async () => {
      signal.throwIfAborted();
      await pause();
      if (performance.now() < renewAt) return true;
      renewAt = performance.now() + TURN_MS;
      return this.#renew(job, null);
    });
    return this.#renew(job, total);
  }

  /** Extends the lease. @returns false if the job was cancelled or another process has taken it over. */
  async #renew({ id, leaseId }: LeasedJob, total: number | null): Promise<boolean> {
    const { metadata } = this.context;
    const row = await metadata.write(
      (query) =>
        query
          .updateTable('jobs')
          .set((e) => ({ total, lease_until: e(metadata.clock, '+', LEASE_MS) }))
          .where('id', '=', id)
          .where('lease_id', '=', leaseId)
          .returning('id')
          .executeTakeFirst(),
      { ...JOB_WRITE, durable: false },
    );
    return row !== undefined;
  }

  /** Puts the job behind the others. @param afterMs time before the next turn. @returns turns that failed one after another. */
  async #release({ id, leaseId }: LeasedJob, { failures = 0, afterMs = 0 } = {}): Promise<number> {
    const { metadata, now } = this.context;
    const row = await metadata.write(
      (query) =>
        query
          .updateTable('jobs')
          .set((e) => ({
            turn_at: now(),
            failed_turns: e('failed_turns', '+', failures),
            lease_until: afterMs === 0 ? null : e(metadata.clock, '+', afterMs),
          }))
          .where('id', '=', id)
          .where('lease_id', '=', leaseId)
          .returning('failed_turns')
          .executeTakeFirst(),
      { ...JOB_WRITE, durable: false },
    );
    return row?.failed_turns ?? 0;
  }
}
