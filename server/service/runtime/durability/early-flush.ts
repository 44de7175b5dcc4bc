import type { FileHandle } from 'node:fs/promises';

/** A growing file is flushed each time it has grown by this many bytes. */
const FLUSH_INTERVAL = 32 * 1024 * 1024;
/** Early flushes at once in the process. Each occupies one of the few threads for file operations. */
const MAX_EARLY_FLUSHES = 1;
let running = 0;

/** Flushes a file while it grows, so that the last flush, for which the client waits, is short. */
export class EarlyFlush {
  #unflushed = 0;
  #flushing: Promise<void> | undefined;
  #failure: { cause: unknown } | undefined;

  constructor(private readonly file: FileHandle) {}

  /** Call it after each write. */
  wrote(bytes: number): void {
    this.#unflushed += bytes;
    if (this.#unflushed < FLUSH_INTERVAL || this.#flushing || running >= MAX_EARLY_FLUSHES) return;
    this.#unflushed = 0;
    running += 1;
    this.#flushing = this.file
      .datasync()
      // Linux reports a failed flush once, so the last flush may succeed without these bytes.
      .catch((cause: unknown) => void (this.#failure = { cause }))
      .finally(() => {
        running -= 1;
        this.#flushing = undefined;
      });
  }

  /** Flushes the file. Resolves when all written bytes survive a power cut. */
  async finish(): Promise<void> {
    await this.idle();
    if (this.#failure) throw this.#failure.cause;
    await this.file.datasync();
  }

  /** Resolves when no flush is running, so that the file can be closed. */
  async idle(): Promise<void> {
    await this.#flushing;
  }
}
