import { sleep } from '../abort.js';

/** Shorter waits are skipped. A TLS record has 16 KiB, and a timer takes a millisecond or more. */
const MIN_WAIT_MS = 50;
/** Unused time that is credited, because timers and busy processes are late. */
const MAX_CREDIT_MS = 100;

/** Limits the bytes per second of all connections together. */
export class RateLimiter {
  /** Time at which the next bytes may pass, as of `performance.now()`. */
  #nextMs = 0;

  constructor(private readonly bytesPerSecond: number | undefined) {}

  /** Bytes to send between two waits; undefined without a limit. */
  get sliceBytes(): number | undefined {
    return this.bytesPerSecond === undefined ? undefined : Math.max(4096, Math.floor(this.bytesPerSecond / 20));
  }

  /** Waits until more bytes may pass. Returns undefined if there is no need to wait. @throws S3Error `Aborted` */
  throttle(bytes: number, signal: AbortSignal): void | Promise<void> {
    if (this.bytesPerSecond === undefined) return undefined;
    const now = performance.now();
    const start = Math.max(now - MAX_CREDIT_MS, this.#nextMs);
    this.#nextMs = start + (bytes / this.bytesPerSecond) * 1000;
    return start - now > MIN_WAIT_MS ? sleep(start - now, signal) : undefined;
  }
}
