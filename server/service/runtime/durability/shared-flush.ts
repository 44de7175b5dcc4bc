/**
 * Lets many callers share one flush to disk. Who asks while a flush runs shares the next one: what they wrote may have missed the one under
 * way. Under load a flush then serves everybody who waits, and alone nobody waits for company.
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
