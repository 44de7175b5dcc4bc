import { S3Error } from '../errors.js';
import { localPath } from '../s3/object-keys.js';
import type { ObjectEntry, SourceFile, Target } from '../types.js';

/** Of each held at most; what is beyond fails where something is in its way, and nothing goes. */
export const ENTRIES_MAX = 200_000;

/** A directory that stands where an object is to be a file. */
interface Folder {
  entry: ObjectEntry;
  path: string;
  /** Files in it that will be deleted. */
  files: SourceFile[];
  /** Something else of the source belongs into it. */
  needed: boolean;
}

/**
 * Resolves conflicts between names: a file where a directory must stand, the reverse, or a name that differs only in case.
 * Transfers wait in `deferred` until the conflicting items are deleted.
 */
export class TypeConflicts {
  readonly #deletable = new Map<string, SourceFile>();
  readonly #first = new Set<SourceFile>();
  readonly #folders = new Map<string, Folder>();
  /** Where a disk that tells no capitals has a file of another name. */
  readonly #others: { entry: ObjectEntry; path: string }[] = [];
  readonly deferred: ObjectEntry[] = [];

  /** @param deletes whether anything will go */
  constructor(
    private readonly target: Target,
    private readonly deletes: boolean,
  ) {}

  addDeletable(file: SourceFile): void {
    if (this.#deletable.size < ENTRIES_MAX) this.#deletable.set(file.path, file);
  }

  /**
   * Whether something is, of an object that is no file of the target. In the order of keys a file comes before what lies below its name.
   */
  async defers(entry: ObjectEntry, name: string): Promise<boolean> {
    if (this.deferred.length + this.#folders.size + this.#others.length >= ENTRIES_MAX) return false;
    const isMet = this.#deletable.size + this.#folders.size > 0;
    for (const folder of isMet ? parentFolders(name) : []) {
      const blocked = this.#folders.get(folder);
      if (blocked !== undefined) blocked.needed = true;
      const file = this.#deletable.get(folder);
      if (file === undefined) continue;
      this.#first.add(file);
      this.deferred.push(entry);
      return true;
    }
    const place = localPath(name);
    if (name.endsWith('/') || 'problem' in place) return false;
    const { path } = place;
    // At once where that is told at once: what lies below its name comes next.
    const is = this.deletes && this.target.isFolder?.(path);
    if (is === true || (is && (await is))) {
      this.#folders.set(path, { entry, path, files: [], needed: false });
      return true;
    }
    if (!(await this.target.isOther?.(path))) return false;
    this.#others.push({ entry, path });
    return true;
  }

  /** Has what waits for another name come where that one goes. @returns the rest: another name stands there, and stays */
  resolveCaseConflicts(mayGo: boolean): ObjectEntry[] {
    const pending = new Map<string, SourceFile>();
    if (this.#others.length > 0 && mayGo) for (const file of this.#deletable.values()) pending.set(file.path.toLowerCase(), file);
    return this.#others.flatMap(({ entry, path }) => {
      const file = pending.get(path.toLowerCase());
      if (file === undefined) return [entry];
      this.#first.add(file);
      this.deferred.push(entry);
      return [];
    });
  }

  /** Whether it goes first. */
  isDeletedFirst(file: SourceFile): boolean {
    return this.#first.has(file);
  }

  filesToDelete(): SourceFile[] {
    return [...this.#first];
  }

  /** Directories of which all that they hold may go. */
  foldersToClear(): Folder[] {
    for (const file of this.#folders.size > 0 ? this.#deletable.values() : [])
      for (const folder of parentFolders(file.path)) this.#folders.get(folder)?.files.push(file);
    return [...this.#folders.values()];
  }

  /** Removes one, and has the object come in its place. @throws S3Error `NameTaken` where it holds more, and then nothing is gone */
  async clearFolder({ entry, path, files, needed }: Folder, mayGo: boolean, dryRun: boolean): Promise<void> {
    const paths = new Set(files.map((file) => file.path));
    const stays = (why: string): S3Error => new S3Error('NameTaken', `${path}: a directory stands there, and ${why}.`);
    if (needed) throw stays('the source has something for it as well');
    // Why is told once, and of something else: all of this may be free to go.
    if (!mayGo) throw stays('nothing is deleted in this run');
    if (!(await this.target.clear?.(path, paths, dryRun))) throw stays('not all that it holds may go');
    for (const file of files) this.#first.add(file);
    this.deferred.push(entry);
  }
}

export function* parentFolders(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) yield path.slice(0, at);
}
