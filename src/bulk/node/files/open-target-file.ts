import { closeSync, rmSync } from 'node:fs';
import { S3Error } from '../../errors.js';
import type { FileFacts, TargetFile } from '../../types.js';
import { readFrom } from './file-reader.js';
import { runStep } from './file-writer.js';
import { withTargetErrors } from './write-error.js';
import * as writeFile from './write-file.js';
import type { OpenFile } from './write-file.js';

/** A file that a download writes under a temporary name. */
export class OpenTargetFile implements TargetFile {
  #open = true;
  /** The end of the last byte written so far. */
  #written = 0;

  constructor(
    private readonly file: OpenFile,
    private readonly temporary: string,
    private readonly full: string,
    private readonly resumed: boolean,
  ) {}

  /** Writes shared memory in the worker thread and other bytes at once. */
  write(position: number, chunk: Uint8Array): void | Promise<void> {
    this.#written = Math.max(this.#written, position + chunk.length);
    return withTargetErrors(() => {
      if (!(chunk.buffer instanceof SharedArrayBuffer)) return writeFile.write(this.file.fd, position, chunk);
      return runStep('write', this.file.fd, position, chunk);
    });
  }

  read(position: number, into: Uint8Array): Promise<number> {
    return withTargetErrors(() => readFrom(this.file.fd, position, into));
  }

  commit(facts: FileFacts): bigint | Promise<bigint> {
    return withTargetErrors(() => {
      this.#open = false;
      // A retried request may have found a shorter object.
      const truncate = this.resumed || this.#written > facts.size;
      const { file, temporary, full } = this;
      return whenDone(
        runStep('finish', { ...file, temporary, full, facts, truncate }),
        (mtimeNs) => mtimeNs ?? throwExists(full),
      );
    });
  }

  discard(keep: boolean): void {
    if (this.#open) closeSync(this.file.fd);
    try {
      if (!keep && writeFile.hasInode(this.temporary, this.file.ino)) rmSync(this.temporary, { force: true });
    } catch {
      // The owner of the file is unknown. The original error is already reported.
    }
  }
}

/** @throws S3Error `PreconditionFailed` */
export const throwExists = (full: string): never => {
  throw new S3Error('PreconditionFailed', `${full} already exists.`);
};

/** Calls `then` with the result, at once if there is no promise. */
export const whenDone = <Made, Result>(made: Made | Promise<Made>, then: (made: Made) => Result): Result | Promise<Result> =>
  made instanceof Promise ? made.then(then) : then(made);
