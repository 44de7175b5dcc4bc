export interface ConcurrencyLimits {
  /** Jobs that run at the same time. */
  maxRunning: number;
  /** Jobs that may wait for their turn. */
  maxWaiting: number;
  /** Creates the error for a job that finds no place. */
  busy: () => Error;
}

/** Runs few jobs at the same time. Others wait in order, and beyond a limit are refused. */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  /** Functions that start the waiting jobs. */
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Runs a job when it is its turn. @throws the error of `busy`, the reason of the signal if it aborts before, or what the job throws. */
  async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#takeTurn(signal);
    try {
      return await job();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  /** @throws the error of `busy` if a job would find no place now. */
  assertRoom(): void {
    const { maxRunning, maxWaiting, busy } = this.#limits;
    if (this.#running >= maxRunning && this.#waiting.length >= maxWaiting) throw busy();
  }

  async #takeTurn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#running >= this.#limits.maxRunning) await this.#enterQueue(signal);
    else this.#running += 1;
  }

  #enterQueue(signal: AbortSignal | undefined): Promise<void> {
    this.assertRoom();
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#running += 1;
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(start);
    });
  }
}
