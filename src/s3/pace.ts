import { sleep } from './waiting.js';

/** Holds the bytes of a run to so many a second, all connections together. */
export class Pace {
  #free = 0;

  constructor(private readonly bytesPerSecond: number | undefined) {}

  /** How many bytes to send between two waits; undefined without a limit. */
  get slice(): number | undefined {
    return this.bytesPerSecond === undefined ? undefined : Math.max(4096, Math.floor(this.bytesPerSecond / 20));
  }

  /** Waits until `bytes` more may pass. Answers at once when there is no limit. */
  pass(bytes: number, signal: AbortSignal): void | Promise<void> {
    if (this.bytesPerSecond === undefined) return undefined;
    const now = performance.now();
    const start = Math.max(now, this.#free);
    this.#free = start + (bytes / this.bytesPerSecond) * 1000;
    return start > now ? sleep(start - now, signal) : undefined;
  }
}
