import { closeSync, existsSync, lstatSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { S3Error } from '../../errors.js';
import { hash64 } from '../../journal/hash64.js';
import { windowsProblem } from '../../s3/object-keys.js';
import type { FileFacts, Target, TargetFile } from '../../types.js';
import { clearFolder } from './clear-folder.js';
import { readFrom } from './file-reader.js';
import { FoldedNames } from './case-folding.js';
import { makeFolders } from './make-folders.js';
import { unwritable } from './write-error.js';
import { runStep } from './file-writer.js';
import * as writeFile from './write-file.js';
import type { OpenFile } from './write-file.js';

/** Directories known to exist; when there are more, the list begins anew. */
const KNOWN_MAX = 10_000;

/** A directory on disk. Files are written beside their place under a name of their own and renamed when they are whole. */
export class FolderTarget implements Target {
  readonly #known = new Set<string>();
  readonly #names: FoldedNames;

  constructor(
    readonly root: string,
    names = new FoldedNames(),
  ) {
    this.#names = names;
  }

  /** Shared, so that the thread that writes is told of it and gets no copy. */
  readonly memory: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(new SharedArrayBuffer(bytes));

  open(path: string, resume: boolean, own?: string): TargetFile | Promise<TargetFile> {
    return guard(() => {
      const full = join(this.root, path);
      const temporary = temporaryFor(full, own);
      this.#ensure(dirname(full));
      // Before anything is fetched of it.
      writeFile.requireReplaceable(full);
      this.#names.claim(path);
      const resumed = resume && existsSync(temporary);
      const writing = (file: OpenFile): TargetFile => new FileBeingWritten(file, temporary, full, resumed);
      if (this.#names.areKnown) return whenDone(runStep('open', temporary, resumed), writing);
      const file = writeFile.open(temporary, resumed);
      this.#names.look(() => temporary);
      return writing(file);
    });
  }

  make(path: string, bytes: Uint8Array, facts: FileFacts): bigint | Promise<bigint> {
    return guard(() => {
      const full = join(this.root, path);
      this.#ensure(dirname(full));
      const file = { temporary: temporaryFor(full), full, bytes, facts };
      this.#names.claim(path);
      if (!this.#names.areKnown) {
        // Its own name may have no letters; that of what it is written under has.
        closeSync(writeFile.open(file.temporary, false).fd);
        this.#names.look(() => file.temporary);
      }
      return whenDone(runStep('make', file), (made) => made ?? existing(full));
    });
  }

  forget(path: string, own?: string): void {
    guard(() => {
      const temporary = temporaryFor(join(this.root, path), own);
      if (existsSync(temporary)) rmSync(temporary);
    });
  }

  makeDirectory(path: string): void {
    guard(() => makeFolders(join(this.root, path)));
  }

  remove(path: string): void {
    guard(() => {
      const full = join(this.root, path);
      if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) {
        rmdirSync(full);
        this.#known.delete(full);
      } else rmSync(full, { force: true });
    });
  }

  keep(path: string): void {
    this.#names.keep(this.root, path);
  }

  isOther(path: string): boolean {
    return this.#names.isOther(this.root, path);
  }

  isFolder(path: string): boolean {
    try {
      return lstatSync(join(this.root, path)).isDirectory();
    } catch {
      return false;
    }
  }

  clear(path: string, files: ReadonlySet<string>, dryRun: boolean): boolean {
    return guard(() => clearFolder(this.root, path, files, dryRun));
  }

  look(path: string): void {
    guard(() => writeFile.requireReplaceable(join(this.root, path)));
  }

  exists(path: string): boolean {
    try {
      return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
    } catch {
      // What is wrong with the name is told where the file is made.
      return false;
    }
  }

  isOnDisk(path: string): boolean {
    const device = (folder: string): number | undefined => {
      try {
        return statSync(join(this.root, folder)).dev;
      } catch {
        return undefined;
      }
    };
    let folder = dirname(path);
    // One that could not be made would lie on the disk of the one above.
    while (folder !== '.' && device(folder) === undefined) folder = dirname(folder);
    return device(folder) === device('.');
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
    makeFolders(folder);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(folder);
  }
}

class FileBeingWritten implements TargetFile {
  #open = true;
  /** The farthest byte so far. */
  #written = 0;

  constructor(
    private readonly file: OpenFile,
    private readonly temporary: string,
    private readonly full: string,
    private readonly resumed: boolean,
  ) {}

  /** Much, which is what comes in shared memory, goes by another thread, beside the network; little is written at once. */
  write(position: number, chunk: Uint8Array): void | Promise<void> {
    this.#written = Math.max(this.#written, position + chunk.length);
    return guard(() => {
      if (!(chunk.buffer instanceof SharedArrayBuffer)) return writeFile.write(this.file.fd, position, chunk);
      return runStep('write', this.file.fd, position, chunk);
    });
  }

  read(position: number, into: Uint8Array): Promise<number> {
    return guard(() => readFrom(this.file.fd, position, into));
  }

  commit(facts: FileFacts): bigint | Promise<bigint> {
    return guard(() => {
      this.#open = false;
      // A repeated request may have found a shorter object.
      const truncate = this.resumed || this.#written > facts.size;
      const { file, temporary, full } = this;
      return whenDone(runStep('finish', { ...file, temporary, full, facts, truncate }), (made) => made ?? existing(full));
    });
  }

  discard(keep: boolean): void {
    if (this.#open) closeSync(this.file.fd);
    try {
      if (!keep && writeFile.hasInode(this.temporary, this.file.ino)) rmSync(this.temporary, { force: true });
    } catch {
      // Whose it is cannot be told, and why the file failed is told already.
    }
  }
}

/** A name that the next run finds again, and short enough for every file system. */
const temporaryFor = (full: string, own = ''): string =>
  join(
    dirname(full),
    `.svc-${hash64(full + own)
      .toString(36)
      .padStart(13, '0')}.part`,
  );

const existing = (full: string): never => {
  throw new S3Error('PreconditionFailed', `${full} exists already.`);
};

function guard<Result>(work: () => Result): Result {
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(refused) as Result) : result;
  } catch (error) {
    throw unwritable(error);
  }
}

const whenDone = <Made, Result>(made: Made | Promise<Made>, then: (made: Made) => Result): Result | Promise<Result> =>
  made instanceof Promise ? made.then(then) : then(made);

function refused(error: unknown): never {
  throw unwritable(error);
}
