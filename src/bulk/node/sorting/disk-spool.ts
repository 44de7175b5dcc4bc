import { read, write } from 'node:fs';
import { promisify } from 'node:util';
import type { Spool } from '../../types.js';
import { TempFile, toTempFileError } from '../files/temp-file.js';

const [readAt, writeAt] = [promisify(read), promisify(write)];

/** Spools a stream to a temporary file, asynchronously, so that a slow disk blocks nothing else. */
export class DiskSpool implements Spool {
  readonly #file = new TempFile();

  /** @throws S3Error `ScratchUnwritable` */
  async write(position: number, bytes: Uint8Array): Promise<void> {
    const { fd } = this.#file;
    try {
      for (let at = 0; at < bytes.length;) at += (await writeAt(fd, bytes, at, bytes.length - at, position + at)).bytesWritten;
    } catch (error) {
      throw toTempFileError(error);
    }
  }

  /** @throws S3Error `ScratchUnwritable` */
  async read(position: number, into: Uint8Array): Promise<number> {
    const { fd } = this.#file;
    try {
      for (let at = 0; ;) {
        const { bytesRead } = await readAt(fd, into, at, into.length - at, position + at);
        at += bytesRead;
        if (bytesRead === 0 || at === into.length) return at;
      }
    } catch (error) {
      throw toTempFileError(error);
    }
  }

  close(): void {
    this.#file.close();
  }
}
