import { ApiError } from '../../api/api-error.js';
import { sleep } from '../../api/api.js';
import type { Api } from '../../api/api.js';
import { formatNumber } from '../../texts/format.js';
import { filesTexts } from './texts/texts.js';

/** A record of `/v1/jobs`. */
export interface Job {
  id: string;
  type: JobSpec['type'];
  state: 'queued' | 'running' | 'done' | 'cancelled' | 'failed';
  total: number | null;
  done: number;
  failed: number;
  failures: { path: string; code: string; message: string }[];
  error: { code: string; message: string } | null;
}

/** The body of `POST /v1/jobs`. */
export interface JobSpec {
  type: 'delete' | 'move' | 'copy' | 'visibility';
  prefix?: string;
  ids?: string[];
  search?: Record<string, unknown>;
  to?: string;
  overwrite?: boolean;
  visibility?: 'public' | 'private';
}

/** Describes how far a job is. */
export const progressText = ({ done, total }: Pick<Job, 'done' | 'total'>): string =>
  total === null ? filesTexts.job.counting : filesTexts.job.progress(formatNumber(done), formatNumber(total));

const POLL_MS = 700;
/** Ids of one job at most. */
export const MAX_IDS = 1000;

/** Starts a job, and reports it until it ends. @returns the finished job. @throws ApiError if it failed */
export async function runJob(storage: Api, spec: JobSpec, report: (job: Job) => void, signal: AbortSignal): Promise<Job> {
  let job = await storage.post<Job>('/v1/jobs', { body: spec, signal });
  for (;;) {
    report(job);
    if (job.state === 'failed') throw new ApiError(job.error?.code ?? 'INTERNAL_SERVER_ERROR', job.error?.message ?? '', 500);
    if (job.state === 'done' || job.state === 'cancelled') return job;
    await sleep(POLL_MS, signal);
    job = await storage.get<Job>(`/v1/jobs/${job.id}`, { signal });
  }
}

export const cancelJob = (storage: Api, id: string): Promise<Job> =>
  storage.post<Job>(`/v1/jobs/${id}/cancel`, { signal: AbortSignal.timeout(30_000) });
