import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Error } from '../../errors.js';

/** A temporary file without a name, so that it ends with the process. On Windows it keeps its name until it is closed. */
export class TempFile {
  readonly #path = join(tmpdir(), `.svc-${randomUUID()}`);
  readonly fd = withTempFileErrors(() => openSync(this.#path, 'wx+', 0o600));

  constructor() {
    if (process.platform !== 'win32') rmSync(this.#path);
  }

  write(position: number, bytes: Uint8Array): void {
    withTempFileErrors(() => {
      let done = 0;
      while (done < bytes.length) done += writeSync(this.fd, bytes, done, bytes.length - done, position + done);
    });
  }

  /** @returns bytes read; fewer than requested only at the end */
  read(position: number, into: Uint8Array): number {
    return withTempFileErrors(() => readSync(this.fd, into, 0, into.length, position));
  }

  close(): void {
    closeSync(this.fd);
    if (process.platform === 'win32') rmSync(this.#path, { force: true });
  }
}

/** @throws S3Error `ScratchUnwritable` */
export function withTempFileErrors<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toTempFileError(error);
  }
}

/** Converts an error of the disk. */
export const toTempFileError = (error: unknown): S3Error =>
  new S3Error('ScratchUnwritable', `A temporary file in ${tmpdir()} cannot be written or read: ${(error as Error).message}`, {
    cause: error,
  });
