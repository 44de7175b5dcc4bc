import { BlobError } from '../../../src/protocol/errors.js';
import { FairConcurrencyLimit } from './fair-concurrency-limit.js';
import { RETRY_AFTER_SECONDS } from '../runtime/retry-after.js';
import { IMAGE_LIMITS } from './limits.js';
import { ImageProcess } from './image-process.js';
import type { ProcessLimits } from './image-process.js';

/** Unused processes end after this time. */
const IDLE_MS = 60_000;

const busy = () =>
  new BlobError('SERVICE_UNAVAILABLE', 'Too many images wait to be resized. Try again.', {
    details: { retry_after: RETRY_AFTER_SECONDS, unavailable: 'images' },
  });

/** Processes that resize images. Limits how many jobs run and wait, in total and for one account. Accounts take turns. */
export class ImageProcesses {
  readonly #limits: ProcessLimits;
  readonly #idle: ImageProcess[] = [];
  readonly #limit = new FairConcurrencyLimit({
    maxRunning: IMAGE_LIMITS.processes,
    maxRunningPerAccount: IMAGE_LIMITS.processes,
    maxWaiting: IMAGE_LIMITS.waiting,
    maxPerAccount: IMAGE_LIMITS.perAccount,
    busy,
  });
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limits: ProcessLimits = IMAGE_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Runs a job with a process. The job reads the file, so that the bytes of waiting jobs are not in memory.
   * @param accountId the account whose image it is. @throws `SERVICE_UNAVAILABLE` if too many jobs wait, and what the job throws.
   */
  run<T>(accountId: string, job: (process: ImageProcess) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#limit.run(accountId, () => this.#runInProcess(job), signal);
  }

  /** Starts a process to find out whether images can be resized. @throws ImagesUnavailable with the `npm install` line. */
  async check(): Promise<void> {
    this.#keep(await ImageProcess.start(this.#limits));
  }

  close(): void {
    this.#isClosed = true;
    this.#endIdle();
  }

  async #runInProcess<T>(job: (process: ImageProcess) => Promise<T>): Promise<T> {
    const idle = this.#idle.pop();
    const process = idle?.isRunning ? idle : await ImageProcess.start(this.#limits);
    try {
      return await job(process);
    } finally {
      this.#keep(process);
    }
  }

  #keep(process: ImageProcess): void {
    if (!process.isRunning) return;
    if (this.#isClosed) return process.end();
    this.#idle.push(process);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#endIdle(), IDLE_MS).unref();
  }

  #endIdle(): void {
    clearTimeout(this.#idleTimer);
    for (const process of this.#idle.splice(0)) process.end();
  }
}
