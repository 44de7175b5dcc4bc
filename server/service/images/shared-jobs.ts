interface Job<Result> {
  result: Promise<Result>;
  waiters: number;
  abandon: AbortController;
}

/** Runs one job for all callers that want the same result at the same time. */
export class SharedJobs<Result> {
  readonly #jobs = new Map<string, Job<Result>>();

  /**
   * Waits for the running job of a key, or starts it.
   * @param signal ends the wait of this caller.
   * @param start starts the job. Its signal aborts when no caller waits any more.
   */
  run(key: string, signal: AbortSignal, start: (abandoned: AbortSignal) => Promise<Result>): Promise<Result> {
    const job = this.#jobs.get(key) ?? this.#start(key, start);
    job.waiters += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        job.waiters -= 1;
        if (job.waiters === 0) {
          this.#remove(key, job);
          job.abandon.abort(signal.reason);
        }
        reject(signal.reason as Error);
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      void job.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #start(key: string, start: (abandoned: AbortSignal) => Promise<Result>): Job<Result> {
    const abandon = new AbortController();
    const job: Job<Result> = { result: start(abandon.signal), waiters: 0, abandon };
    this.#jobs.set(key, job);
    const remove = () => this.#remove(key, job);
    job.result.then(remove, remove);
    return job;
  }

  #remove(key: string, job: Job<Result>): void {
    if (this.#jobs.get(key) === job) this.#jobs.delete(key);
  }
}
