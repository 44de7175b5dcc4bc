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
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  readonly #transact: (jobs: Job[]) => Promise<void>;

  constructor(transact: (jobs: Job[]) => Promise<void>) {
    this.#transact = transact;
  }

  add(job: Job): void {
    this.#waiting.push(job);
    this.#running ??= this.#runAll();
  }

  /** Resolves when all jobs have ended. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #runAll(): Promise<void> {
    // Jobs of the same turn of the event loop join the transaction.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      try {
        await this.#transact(jobs);
      } catch (cause) {
        for (const job of jobs) job.reject(cause);
        continue;
      }
      for (const job of jobs) job.done();
    }
    this.#running = undefined;
  }
}
