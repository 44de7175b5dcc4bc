/** Bytes of the first batches, while the speed is unknown. */
const FIRST_BYTES = 128 * 1024;
/** The largest batch is far below the service's limit, so that a broken connection costs little. */
const MAX_BYTES = 8 * 1024 * 1024;
const MIN_BYTES = 64 * 1024;
/** Milliseconds that a batch may take. Its files are stored only at its end. */
const TARGET_MS = 3000;

/**
 * Decides how many bytes of files one batch may contain. Batches begin small and take the size that the previous one could have had in
 * three seconds, so that files are stored at short intervals on slow connections too.
 */
export class BatchSize {
  #bytes = FIRST_BYTES;

  get bytes(): number {
    return this.#bytes;
  }

  /** Adapts to a batch that was stored. Other requests were sent at the same time, so its speed is the share of one request. */
  measure(bytes: number, ms: number): void {
    const reachable = (bytes / Math.max(ms, 1)) * TARGET_MS;
    // The time of a small batch is mostly latency, so a batch that ended in time never makes the next one smaller.
    const wanted = ms <= TARGET_MS ? Math.max(this.#bytes, reachable) : reachable;
    this.#bytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES, wanted));
  }
}
