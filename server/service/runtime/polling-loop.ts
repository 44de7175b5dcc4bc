import { setTimeout as sleep } from 'node:timers/promises';

export interface PollingLoopOptions {
  /** Works once. @returns the time until the next round, ms. `wake` ends it. @default `interval` */
  round(signal: AbortSignal): Promise<number | void>;
  /** Time after a failed round, and after a round that returns no time, ms. */
  interval: number;
  /** Time before each further round, in which more wakes collect, ms. @default 0 */
  pause?: number;
  /** Receives the error of a failed round. If several rounds in a row fail, as without a database, it receives the first error only. */
  onFailure(cause: unknown): void;
}

/** Repeats rounds of work: at an interval, which finds the work of other processes, and soon after `wake`. */
export class PollingLoop {
  readonly #options: PollingLoopOptions;
  readonly #stop = new AbortController();
  #wait = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(options: PollingLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  /** Starts the next round soon. During a round, another one follows, because this one may have missed the new work. */
  wake(): void {
    this.#wait.abort();
  }

  /** Aborts the signal of the round, and resolves when the round has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { interval, pause = 0 } = this.#options;
    const { signal } = this.#stop;
    let hasFailed = false;
    while (!signal.aborted) {
      this.#wait = new AbortController();
      let time = interval;
      try {
        time = (await this.#options.round(signal)) ?? interval;
        hasFailed = false;
      } catch (cause) {
        if (!hasFailed && !signal.aborted) this.#options.onFailure(cause);
        hasFailed = true;
      }
      await sleep(time, undefined, { signal: this.#wait.signal, ref: false }).catch(() => {});
      if (pause > 0) await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
