import { BlobError } from '../../../../src/protocol/errors.js';
import type { Body } from '../../storage/blob-storage.js';

/** How far back the pace of a sender is looked at, and how long a new one is left alone. ms */
const WINDOW = 5000;
/** Who sends at this pace is not slow, however much faster the others are. Bytes a millisecond. */
const FLOOR = (64 * 1024) / 1000;

/** One body on its way into memory. */
class Reader {
  held = 0;
  /** Ends the wait for the sender; undefined while it waits for memory. */
  stop: ((why: Error) => void) | undefined;
  readonly #began = performance.now();
  #pace = 0;
  #at = this.#began;

  constructor(private readonly window: number) {}

  came(bytes: number): void {
    this.#pace = this.pace() + bytes / this.window;
    this.#at = performance.now();
  }

  /** What it waited for memory is no delay of the sender. */
  took(bytes: number): void {
    this.held += bytes;
    this.#at = performance.now();
  }

  /** Bytes a millisecond, what is long ago counting little. */
  pace = (): number => this.#pace * Math.exp((this.#at - performance.now()) / this.window);

  get mayBeStopped(): boolean {
    const isNew = performance.now() - this.#began < this.window;
    return this.stop !== undefined && this.held > 0 && !isNew && this.pace() < FLOOR;
  }
}

/**
 * Memory for bodies that are gathered whole, shared by all requests. It is taken as bytes come, not as they are announced. When it is used
 * up, whoever needs more waits, and of those whose bytes are waited for, and come slowly, the slowest is refused: slow senders, however many,
 * hold up nobody.
 */
export class MemoryBudget {
  #free: number;
  readonly #readers = new Set<Reader>();
  readonly #waiting = new Set<() => void>();
  #working = 0;

  constructor(
    limit: number,
    private readonly window = WINDOW,
  ) {
    this.#free = limit;
  }

  /** Runs `work` on the whole body, which lies in memory until it is done. @throws `UPLOAD_TOO_SLOW`, the signal's reason. */
  async gather<T>(body: Body, work: (bytes: Buffer) => Promise<T>, signal: AbortSignal): Promise<T> {
    const reader = new Reader(this.window);
    try {
      const bytes = await this.#read(reader, body, signal);
      this.#working += 1;
      return await work(bytes).finally(() => (this.#working -= 1));
    } finally {
      this.#free += reader.held;
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #read(reader: Reader, body: Body, signal: AbortSignal): Promise<Buffer> {
    const iterator = body[Symbol.asyncIterator]();
    const chunks: Uint8Array[] = [];
    this.#readers.add(reader);
    try {
      for (;;) {
        const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          reader.stop = reject;
          iterator.next().then(resolve, reject);
        });
        reader.stop = undefined;
        if (next.done) return Buffer.concat(chunks, reader.held);
        reader.came(next.value.byteLength);
        await this.#take(reader, next.value.byteLength, signal);
        chunks.push(next.value);
      }
    } finally {
      reader.stop = undefined;
      this.#readers.delete(reader);
      // Not awaited: it may wait for the very chunk that does not come.
      void iterator.return?.()?.catch(() => {});
    }
  }

  async #take(reader: Reader, bytes: number, signal: AbortSignal): Promise<void> {
    while (bytes > this.#free && !this.#mayPass(reader)) {
      // All who wait look again together, and the first of them speaks for all: no more are stopped than are in its way.
      if (this.#waiting.size === 0) this.#stopSlowest();
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
    reader.took(bytes);
  }

  /** Where all wait for one another, the one that came farthest goes on beyond the bound. Who holds nothing is in nobody's way. */
  #mayPass(reader: Reader): boolean {
    if (this.#working > 0) return false;
    for (const other of this.#readers) if ((other.stop && other.held > 0) || other.held > reader.held) return false;
    return true;
  }

  #stopSlowest(): void {
    let slowest: Reader | undefined;
    for (const one of this.#readers) if (one.mayBeStopped && (!slowest || one.pace() < slowest.pace())) slowest = one;
    slowest?.stop!(
      new BlobError('UPLOAD_TOO_SLOW', 'Others needed the memory, and these bytes came slowest. Try again.', {
        details: { retry_after: 1 },
      }),
    );
  }
}
