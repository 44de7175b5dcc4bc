/**
 * Shares one flush among many callers. A call during a flush waits for the next flush, because the running one may miss its bytes. A single
 * caller does not wait for others.
 */
export class SharedFlush {
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #flushNow: () => Promise<void>;

  constructor(flushNow: () => Promise<void>) {
    this.#flushNow = flushNow;
  }

  /** Resolves when everything written before the call is on the disk. */
  flush(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#start();
    this.#next = this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    const running = this.#flushNow().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
