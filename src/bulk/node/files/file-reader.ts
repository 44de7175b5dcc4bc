import { closeSync, constants, fstatSync, openSync, read as readAsync, readSync } from 'node:fs';
import { S3Error } from '../../errors.js';
import type { SourceReader } from '../../types.js';

/** Up to this size a file is read at once: a thread pool would cost ten times the reading. */
const SYNC_MAX = 256 * 1024;

/** One opened file. */
export class FileReader implements SourceReader {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly mode: number;
  readonly #fd: number;
  readonly #ctimeNs: bigint;
  #open = true;

  /** @throws NodeJS.ErrnoException, S3Error `SourceUnreadable` */
  constructor(path: string) {
    this.#fd = opened(path);
    const stat = fstatSync(this.#fd, { bigint: true });
    this.size = Number(stat.size);
    this.mtimeNs = stat.mtimeNs;
    this.mode = Number(stat.mode);
    this.#ctimeNs = stat.ctimeNs;
    // What the system makes up when it is read, as below /proc, seems to be empty.
    const why = !stat.isFile()
      ? 'is no regular file'
      : this.size === 0 && readSync(this.#fd, new Uint8Array(1), 0, 1, 0) > 0
        ? 'does not tell how long it is: send it through a pipe'
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

  /** A modification time can be set back: the time of that cannot. Inodes say less: network file systems number anew. */
  get version(): string {
    return String(this.#ctimeNs);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** Lets this thread do other things meanwhile. @returns bytes read; fewer than asked only at the end of the file. */
export async function readFrom(fd: number, position: number, into: Uint8Array): Promise<number> {
  let at = 0;
  while (at < into.length) {
    const read = await new Promise<number>((resolve, reject) => {
      readAsync(fd, into, at, into.length - at, position + at, (error, bytes) => (error ? reject(error) : resolve(bytes)));
    });
    if (read === 0) break;
    at += read;
  }
  return at;
}

/** To open a pipe that has come in the place of a file is to wait, with all of this process, for who writes into it. */
function opened(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // A file server gives back what it has lent to a client (fcntl(2)) when that is waited for.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return openSync(path, 'r');
    throw error;
  }
}
