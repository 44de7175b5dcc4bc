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
      let done = 0;
      while (done < bytes.length) done += (await writeAt(fd, bytes, done, bytes.length - done, position + done)).bytesWritten;
    } catch (error) {
      throw toTempFileError(error);
    }
  }

  /** @throws S3Error `ScratchUnwritable` */
  async read(position: number, into: Uint8Array): Promise<number> {
    const { fd } = this.#file;
    try {
      let done = 0;
      for (;;) {
        const { bytesRead } = await readAt(fd, into, done, into.length - done, position + done);
        done += bytesRead;
        if (bytesRead === 0 || done === into.length) return done;
      }
    } catch (error) {
      throw toTempFileError(error);
    }
  }

  close(): void {
    this.#file.close();
  }
}
