import type { FileHandle } from 'node:fs/promises';

/** A growing file is sent on its way to the disk each time it has grown by so much. Bytes. */
const FLUSH_INTERVAL = 32 * 1024 * 1024;
/** Flushes of this kind at once, in the whole process: each holds one of the few threads that do all work on files. */
const MAX_EARLY_FLUSHES = 1;
let running = 0;

/** Brings a file to the disk while it still grows, so that its last flush, which its sender waits for, finds little to do. */
export class EarlyFlush {
  #unflushed = 0;
  #flushing: Promise<void> | undefined;
  #failure: { cause: unknown } | undefined;

  constructor(private readonly file: FileHandle) {}

  /** To be told of every write. */
  wrote(bytes: number): void {
    this.#unflushed += bytes;
    if (this.#unflushed < FLUSH_INTERVAL || this.#flushing || running >= MAX_EARLY_FLUSHES) return;
    this.#unflushed = 0;
    running += 1;
    this.#flushing = this.file
      .datasync()
      // A failed flush is told once: the last one may know nothing of it.
      .catch((cause: unknown) => void (this.#failure = { cause }))
      .finally(() => {
        running -= 1;
        this.#flushing = undefined;
      });
  }

  /** Resolves when all that was written survives a power cut. */
  async finish(): Promise<void> {
    await this.idle();
    if (this.#failure) throw this.#failure.cause;
    await this.file.datasync();
  }

  /** Resolves when nothing is done with the file, so that it can be closed. */
  async idle(): Promise<void> {
    await this.#flushing;
  }
}
