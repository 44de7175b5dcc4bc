import { sleep } from '../abort.js';

/** Shorter waits are skipped, in milliseconds: a TLS record has 16 KiB, and a timer takes a millisecond or more. */
const AHEAD = 50;
/** Unused time that may be made up for, in milliseconds: timers and busy processes are late. */
const LATE = 100;

/** Holds the bytes of a run to so many a second, all connections together. */
export class RateLimiter {
  #free = 0;

  constructor(private readonly bytesPerSecond: number | undefined) {}

  /** Bytes to send between two waits; undefined without a limit. */
  get sliceBytes(): number | undefined {
    return this.bytesPerSecond === undefined ? undefined : Math.max(4096, Math.floor(this.bytesPerSecond / 20));
  }

  /** Waits until `bytes` more may pass, once those before are too far ahead. Answers at once when there is no limit. */
  throttle(bytes: number, signal: AbortSignal): void | Promise<void> {
    if (this.bytesPerSecond === undefined) return undefined;
    const now = performance.now();
    const start = Math.max(now - LATE, this.#free);
    this.#free = start + (bytes / this.bytesPerSecond) * 1000;
    return start - now > AHEAD ? sleep(start - now, signal) : undefined;
  }
}
