import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { S3Error } from '../errors.js';
import { hash64 } from '../hash64.js';
import { windowsProblem } from '../names.js';
import type { Target, TargetFile } from '../types.js';
import { WRITE, writeAside } from './writer-thread.js';

const PERMISSIONS = 0o777;
/** What a new file has by itself. */
const ORDINARY = 0o666 & ~process.umask();
/** Directories known to exist; when there are more, the list begins anew. */
const KNOWN_MAX = 10_000;

/** A directory on disk. Files are written beside their place under a name of their own and renamed when they are whole. */
export class FolderTarget implements Target {
  readonly #known = new Set<string>();

  constructor(readonly root: string) {}

  readonly memory = (bytes: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(bytes));

  open(path: string, resume: boolean): TargetFile {
    return guard(path, () => {
      const full = join(this.root, path);
      this.#ensure(dirname(full));
      return new FileBeingWritten(full, resume);
    });
  }

  makeDirectory(path: string): void {
    guard(path, () => mkdirSync(join(this.root, path), { recursive: true }));
  }

  remove(path: string): void {
    guard(path, () => {
      const full = join(this.root, path);
      if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(full);
      else rmSync(full, { force: true });
    });
  }

  exists(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  stat(path: string): { size: number; mtimeNs: bigint } | undefined {
    const stat = statSync(join(this.root, path), { bigint: true, throwIfNoEntry: false });
    return stat && { size: Number(stat.size), mtimeNs: stat.mtimeNs };
  }

  refuses(path: string): string | undefined {
    return process.platform === 'win32' ? windowsProblem(path) : undefined;
  }

  #ensure(folder: string): void {
    if (this.#known.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(folder);
  }
}

class FileBeingWritten implements TargetFile {
  readonly #fd: number;
  readonly #temporary: string;
  readonly #resumed: boolean;
  /** The farthest byte so far. */
  #written = 0;

  constructor(
    private readonly full: string,
    resume: boolean,
  ) {
    // A name that the next run finds again, and short enough for every file system.
    this.#temporary = join(dirname(full), `.svc-${hash64(full).toString(36)}.part`);
    this.#resumed = resume && existsSync(this.#temporary);
    this.#fd = openSync(this.#temporary, this.#resumed ? 'r+' : 'w+');
  }

  /** Much, which is what comes in shared memory, goes by another thread, beside the network; little is written at once. */
  write(position: number, chunk: Uint8Array): void | Promise<void> {
    this.#written = Math.max(this.#written, position + chunk.length);
    if (chunk.buffer instanceof SharedArrayBuffer) return this.#writeAside(position, chunk);
    return guard(this.full, () => {
      for (let at = 0; at < chunk.length;)
        at += writeSync(this.#fd, chunk, at, Math.min(WRITE, chunk.length - at), position + at);
    });
  }

  async #writeAside(position: number, chunk: Uint8Array): Promise<void> {
    try {
      await writeAside(this.#fd, position, chunk);
    } catch (error) {
      throw unwritable(this.full, error);
    }
  }

  read(position: number, into: Uint8Array): number {
    return guard(this.full, () => readSync(this.#fd, into, 0, into.length, position));
  }

  commit(facts: { size: number; mtimeNs?: bigint; mode?: number; onlyNew?: boolean }): bigint {
    return guard(this.full, () => {
      // A repeated request may have found a shorter object.
      if (this.#resumed || this.#written > facts.size) ftruncateSync(this.#fd, facts.size);
      const mode = facts.mode === undefined ? ORDINARY : facts.mode & PERMISSIONS;
      if (mode !== ORDINARY) fchmodSync(this.#fd, mode);
      if (facts.mtimeNs !== undefined) {
        const seconds = Number(facts.mtimeNs) / 1e9;
        futimesSync(this.#fd, seconds, seconds);
      }
      const { mtimeNs } = fstatSync(this.#fd, { bigint: true });
      closeSync(this.#fd);
      if (facts.onlyNew) this.#appear();
      else renameSync(this.#temporary, this.full);
      return mtimeNs;
    });
  }

  /** A rename would replace what somebody made meanwhile. */
  #appear(): void {
    try {
      linkSync(this.#temporary, this.full);
    } catch (error) {
      if (existsSync(this.full)) throw new S3Error('PreconditionFailed', `${this.full} exists already.`, { cause: error });
      // Not every file system has links.
      return renameSync(this.#temporary, this.full);
    }
    return rmSync(this.#temporary);
  }

  discard(keep: boolean): void {
    try {
      closeSync(this.#fd);
    } catch {
      // The rename failed, and the file is closed already.
    }
    if (!keep) rmSync(this.#temporary, { force: true });
  }
}

function guard<Result>(name: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw unwritable(name, error);
  }
}

const unwritable = (name: string, error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('TargetUnwritable', `${name}: ${(error as Error).message}`, { cause: error });
