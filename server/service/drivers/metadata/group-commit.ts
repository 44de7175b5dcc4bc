/** The work of one caller inside a shared transaction. */
export interface Job {
  run(): Promise<void>;
  /** Called when the transaction has committed. */
  done(): void;
  reject(cause: unknown): void;
}

/**
 * Runs the jobs that arrive during a transaction together in the next one, so that one flush serves many writers. A single job does not wait.
 */
export class GroupCommit {
  #waitingJobs: Job[] = [];
  #running: Promise<void> | undefined;
  readonly #commit: (jobs: Job[]) => Promise<void>;

  constructor(commit: (jobs: Job[]) => Promise<void>) {
    this.#commit = commit;
  }

  add(job: Job): void {
    this.#waitingJobs.push(job);
    this.#running ??= this.#runAll();
  }

  /** Resolves when all jobs have ended. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #runAll(): Promise<void> {
    // Jobs of the same turn of the event loop join the transaction.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waitingJobs.length > 0) {
      const jobs = this.#waitingJobs;
      this.#waitingJobs = [];
      try {
        await this.#commit(jobs);
      } catch (cause) {
        for (const job of jobs) job.reject(cause);
        continue;
      }
      for (const job of jobs) job.done();
    }
    this.#running = undefined;
  }
}
