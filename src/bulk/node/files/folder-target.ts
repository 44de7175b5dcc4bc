import { closeSync, existsSync, lstatSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { windowsProblem } from '../../s3/object-keys.js';
import type { FileFacts, Target, TargetFile } from '../../types.js';
import { clearFolder } from './clear-folder.js';
import { runStep } from './file-writer.js';
import { FoldedNames } from './folded-names.js';
import { makeFolders } from './make-folders.js';
import { OpenTargetFile, throwExists, whenDone } from './open-target-file.js';
import { temporaryNameFor } from './temporary-name.js';
import { withTargetErrors } from './write-error.js';
import * as writeFile from './write-file.js';
import type { OpenFile } from './write-file.js';

/** Number of remembered directories. A full set starts over. */
const MAX_KNOWN_FOLDERS = 10_000;

/**
 * Downloads to a directory. Files are written under a temporary name beside their target and renamed when they are complete. The
 * directory is created with the first file. Use one target for each download, because it remembers the names that are taken.
 * @throws S3Error Its methods throw `NameTaken`, `NameUnsafe` and the errors of the disk, such as `TargetFull`. A download lists them
 *   as failures.
 * @example
 * await transfer.download({ bucket: 'main', prefix: 'photos/' }, new FolderTarget('./photos'));
 */
export class FolderTarget implements Target {
  readonly #knownFolders = new Set<string>();
  readonly #names: FoldedNames;

  constructor(
    readonly root: string,
    names = new FoldedNames(),
  ) {
    this.#names = names;
  }

  /** Allocates shared memory, so that the writer thread needs no copy. */
  readonly memory: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(new SharedArrayBuffer(bytes));

  open(path: string, resume: boolean, own?: string): TargetFile | Promise<TargetFile> {
    return withTargetErrors(() => {
      const full = join(this.root, path);
      const temporary = temporaryNameFor(full, own);
      this.#makeFolder(dirname(full));
      // Checked before any byte is fetched.
      writeFile.requireReplaceable(full);
      this.#names.reserve(path);
      const resumed = resume && existsSync(temporary);
      const toTargetFile = (file: OpenFile): TargetFile => new OpenTargetFile(file, temporary, full, resumed);
      if (this.#names.isDetected) return whenDone(runStep('open', temporary, resumed), toTargetFile);
      const file = writeFile.open(temporary, resumed);
      this.#names.detect(() => temporary);
      return toTargetFile(file);
    });
  }

  make(path: string, bytes: Uint8Array, facts: FileFacts): bigint | Promise<bigint> {
    return withTargetErrors(() => {
      const full = join(this.root, path);
      this.#makeFolder(dirname(full));
      const file = { temporary: temporaryNameFor(full), full, bytes, facts };
      this.#names.reserve(path);
      if (!this.#names.isDetected) {
        // The name of the target may have no letters; the temporary name does.
        closeSync(writeFile.open(file.temporary, false).fd);
        this.#names.detect(() => file.temporary);
      }
      return whenDone(runStep('make', file), (mtimeNs) => mtimeNs ?? throwExists(full));
    });
  }

  forget(path: string, own?: string): void {
    withTargetErrors(() => {
      const temporary = temporaryNameFor(join(this.root, path), own);
      if (existsSync(temporary)) rmSync(temporary);
    });
  }

  makeDirectory(path: string): void {
    withTargetErrors(() => makeFolders(join(this.root, path)));
  }

  remove(path: string): void {
    withTargetErrors(() => {
      const full = join(this.root, path);
      if (statSync(full, { throwIfNoEntry: false })?.isDirectory()) {
        rmdirSync(full);
        this.#knownFolders.delete(full);
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
    return withTargetErrors(() => clearFolder(this.root, path, files, dryRun));
  }

  look(path: string): void {
    withTargetErrors(() => writeFile.requireReplaceable(join(this.root, path)));
  }

  exists(path: string): boolean {
    try {
      return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
    } catch {
      // An error in the name is reported when the file is created.
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
    // A missing folder would be on the disk of its parent.
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

  #makeFolder(folder: string): void {
    if (this.#knownFolders.has(folder)) return;
    makeFolders(folder);
    if (this.#knownFolders.size >= MAX_KNOWN_FOLDERS) this.#knownFolders.clear();
    this.#knownFolders.add(folder);
  }
}
