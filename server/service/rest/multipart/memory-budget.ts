import { BlobError } from '../../../../src/protocol/errors.js';
import type { Body } from '../../storage/blob-storage.js';

/** Time constant of the measured rate. New bodies are not rejected for this time. */
const WINDOW_MS = 5000;
/** Senders at this rate are never rejected as slow. Bytes per millisecond. */
const SLOW_RATE = (64 * 1024) / 1000;

/** A body that is being read into memory. */
class BodyReader {
  /** Bytes in memory. */
  heldBytes = 0;
  /** Rejects the body while it waits for its sender; undefined while it waits for memory. */
  reject: ((reason: Error) => void) | undefined;
  readonly #startedAt = performance.now();
  #rate = 0;
  #measuredAt = this.#startedAt;

  constructor(private readonly window: number) {}

  received(bytes: number): void {
    this.#rate = this.rate() + bytes / this.window;
    this.#measuredAt = performance.now();
  }

  /** Waiting for memory does not count as slowness of the sender. */
  stored(bytes: number): void {
    this.heldBytes += bytes;
    this.#measuredAt = performance.now();
  }

  /** Bytes per millisecond, with an exponential decay. */
  rate = (): number => this.#rate * Math.exp((this.#measuredAt - performance.now()) / this.window);

  get mayBeRejected(): boolean {
    const isNew = performance.now() - this.#startedAt < this.window;
    return this.reject !== undefined && this.heldBytes > 0 && !isNew && this.rate() < SLOW_RATE;
  }
}

/**
 * Limits the memory of bodies that are read completely, for all requests together. Memory is reserved as bytes arrive. If it is used up, readers
 * wait, and the slowest body below the rate limit is rejected. Slow senders therefore cannot block others.
 */
export class MemoryBudget {
  #free: number;
  readonly #readers = new Set<BodyReader>();
  readonly #waiting = new Set<() => void>();
  /** Complete bodies that are being processed. Their memory will be released. */
  #processing = 0;

  constructor(
    limit: number,
    private readonly window = WINDOW_MS,
  ) {
    this.#free = limit;
  }

  /** Reads a body and runs `process` on it. The memory is reserved until `process` ends. @throws `UPLOAD_TOO_SLOW`, the reason of the signal. */
  async withBody<T>(body: Body, process: (bytes: Buffer) => Promise<T>, signal: AbortSignal): Promise<T> {
    const reader = new BodyReader(this.window);
    try {
      const bytes = await this.#read(reader, body, signal);
      this.#processing += 1;
      return await process(bytes).finally(() => (this.#processing -= 1));
    } finally {
      this.#free += reader.heldBytes;
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #read(reader: BodyReader, body: Body, signal: AbortSignal): Promise<Buffer> {
    const iterator = body[Symbol.asyncIterator]();
    const chunks: Uint8Array[] = [];
    this.#readers.add(reader);
    try {
      for (;;) {
        const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          reader.reject = reject;
          iterator.next().then(resolve, reject);
        });
        reader.reject = undefined;
        if (next.done) return Buffer.concat(chunks, reader.heldBytes);
        reader.received(next.value.byteLength);
        await this.#reserve(reader, next.value.byteLength, signal);
        chunks.push(next.value);
      }
    } finally {
      reader.reject = undefined;
      this.#readers.delete(reader);
      // Not awaited, because `return` may wait for a chunk that never arrives.
      void iterator.return?.()?.catch(() => {});
    }
  }

  async #reserve(reader: BodyReader, bytes: number, signal: AbortSignal): Promise<void> {
    while (bytes > this.#free && !this.#mayExceedLimit(reader)) {
      // Waiting readers check again at the same time. Only the first of them rejects a body, so no more are rejected than necessary.
      if (this.#waiting.size === 0) this.#rejectSlowest();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => this.#wake(), this.window / 10);
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
      signal.throwIfAborted();
    }
    this.#free -= bytes;
    reader.stored(bytes);
  }

  /** Prevents a deadlock: if all readers wait for memory, the one with the most bytes may exceed the limit. */
  #mayExceedLimit(reader: BodyReader): boolean {
    if (this.#processing > 0) return false;
    for (const other of this.#readers)
      if ((other.reject && other.heldBytes > 0) || other.heldBytes > reader.heldBytes) return false;
    return true;
  }

  #rejectSlowest(): void {
    let slowest: BodyReader | undefined;
    for (const reader of this.#readers)
      if (reader.mayBeRejected && (!slowest || reader.rate() < slowest.rate())) slowest = reader;
    slowest?.reject!(
      new BlobError('UPLOAD_TOO_SLOW', 'The service needed the memory of this slow upload for others. Try again.', {
        details: { retry_after: 1 },
      }),
    );
  }
}
