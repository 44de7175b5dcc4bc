/** One caller's work inside a shared transaction. */
export interface Job {
  run(): Promise<void>;
  /** Called when the transaction has committed. */
  done(): void;
  reject(cause: unknown): void;
}

/**
 * Gathers the jobs that arrive while a transaction runs into the next one: under load one flush to disk serves many writers, and alone
 * nobody waits.
 */
export class GroupCommit {
  #waiting: Job[] = [];
  #draining: Promise<void> | undefined;
  readonly #transact: (jobs: Job[]) => Promise<void>;

  constructor(transact: (jobs: Job[]) => Promise<void>) {
    this.#transact = transact;
  }

  add(job: Job): void {
    this.#waiting.push(job);
    this.#draining ??= this.#drain();
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    // Whoever arrives in the same turn of the event loop travels along.
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
    this.#draining = undefined;
  }
}
