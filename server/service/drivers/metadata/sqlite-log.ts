import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { endProcess } from '../../runtime/durability/end-process.js';
import { flushSync } from '../../runtime/durability/write-file-atomically.js';
import { SharedFlush } from '../../runtime/durability/shared-flush.js';

const datasync = promisify(fdatasync);
/** Bytes of one read and write. */
const REWRITE_STEP = 1024 * 1024;

/** Flushes the file of SQLite's write-ahead log. SQLite keeps the same file while a connection is open. */
export class SqliteLog {
  readonly #path: string;
  readonly #fd: number;
  readonly #shared = new SharedFlush(() => this.#flushNow());

  /** @param path of an existing log. */
  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, 'r+');
  }

  /** Resolves when every commit before the call survives a power cut. A failed flush ends the process. */
  flush(): Promise<void> {
    return this.#shared.flush();
  }

  /**
   * Writes all bytes of the log again and flushes it, because an earlier process may have failed to flush some of them. The caller holds SQLite's
   * write lock. A failure ends the process.
   */
  rewrite(): void {
    try {
      const buffer = Buffer.allocUnsafe(REWRITE_STEP);
      const { size } = fstatSync(this.#fd);
      let position = 0;
      while (position < size) {
        const length = readSync(this.#fd, buffer, 0, Math.min(REWRITE_STEP, size - position), position);
        if (length === 0) break;
        let written = 0;
        while (written < length) written += writeSync(this.#fd, buffer, written, length - written, position + written);
        position += length;
      }
      fdatasyncSync(this.#fd);
      flushSync(dirname(this.#path));
    } catch (cause) {
      this.#fail(cause);
    }
  }

  async close(): Promise<void> {
    await this.flush();
    closeSync(this.#fd);
  }

  async #flushNow(): Promise<void> {
    await datasync(this.#fd).catch((cause) => this.#fail(cause));
  }

  #fail(cause: unknown): never {
    // EBADF means that the file was closed, not that the disk failed.
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EBADF') throw cause;
    return endProcess(flushFailedMessage(this.#path, code));
  }
}

/** @param reason an error code. */
export const flushFailedMessage = (path: string, reason: string | undefined): string =>
  `${path} could not be flushed to the disk (${reason}), so the newest changes may be lost. Check the disk, then start again: ` +
  'the start writes the log again. Uploads with a response are safe.';
