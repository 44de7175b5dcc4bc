/** Bounds how much is done at once, whatever the unit; those who wait come in in order. */
export class Gate {
  #free: number;
  readonly #limit: number;
  readonly #waiting: { amount: number; enter: () => void }[] = [];

  constructor(limit: number) {
    this.#free = limit;
    this.#limit = limit;
  }

  /** Runs `work` while it holds `amount`. @throws the signal's reason when it is aborted while waiting. */
  async run<T>(amount: number, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const held = Math.min(amount, this.#limit);
    await this.#enter(held, signal);
    try {
      return await work();
    } finally {
      this.#free += held;
      this.#admit();
    }
  }

  #enter(amount: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error);
        this.#admit();
      };
      const entry = {
        amount,
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
      this.#admit();
    });
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first && first.amount <= this.#free; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= first.amount;
      first.enter();
    }
  }
}
