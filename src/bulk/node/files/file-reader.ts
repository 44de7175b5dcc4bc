import { closeSync, constants, fstatSync, openSync, read as readAsync, readSync } from 'node:fs';
import { S3Error } from '../../errors.js';
import type { SourceReader } from '../../types.js';

/** Files up to this size are read synchronously. The thread pool would cost ten times as much. Bytes. */
const SYNC_MAX = 256 * 1024;

/** An open source file. */
export class FileReader implements SourceReader {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly mode: number;
  readonly #fd: number;
  readonly #ctimeNs: bigint;
  #open = true;

  /** @throws NodeJS.ErrnoException, S3Error `SourceUnreadable` */
  constructor(path: string) {
    this.#fd = openWithoutBlocking(path);
    const stat = fstatSync(this.#fd, { bigint: true });
    this.size = Number(stat.size);
    this.mtimeNs = stat.mtimeNs;
    this.mode = Number(stat.mode);
    this.#ctimeNs = stat.ctimeNs;
    // Files that the system generates, as below /proc, claim to be empty.
    const why = !stat.isFile()
      ? 'is not a regular file'
      : this.size === 0 && readSync(this.#fd, new Uint8Array(1), 0, 1, 0) > 0
        ? 'does not state its size: send it through a pipe'
        : '';
    if (why === '') return;
    closeSync(this.#fd);
    throw new S3Error('SourceUnreadable', `${path} ${why}.`);
  }

  read(position: number, into: Uint8Array): number | Promise<number> {
    if (into.length === 0) return 0;
    if (this.size <= SYNC_MAX) return readSync(this.#fd, into, 0, into.length, position);
    return readFrom(this.#fd, position, into);
  }

  changed(): boolean {
    const stat = fstatSync(this.#fd, { bigint: true });
    return Number(stat.size) !== this.size || stat.mtimeNs !== this.mtimeNs || stat.ctimeNs !== this.#ctimeNs;
  }

  /** The change time, because a modification time can be set back. Inode numbers change on network file systems. */
  get version(): string {
    return String(this.#ctimeNs);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** Reads in the thread pool. @returns bytes read; fewer than requested only at the end of the file */
export async function readFrom(fd: number, position: number, into: Uint8Array): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const read = await new Promise<number>((resolve, reject) => {
      readAsync(fd, into, filled, into.length - filled, position + filled, (error, bytes) =>
        error ? reject(error) : resolve(bytes),
      );
    });
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** Opens without blocking: a pipe that has replaced the file would block the process until another one writes to it. */
function openWithoutBlocking(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // A file server with a lease on the file (fcntl(2)) returns it to a blocking open.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return openSync(path, 'r');
    throw error;
  }
}
