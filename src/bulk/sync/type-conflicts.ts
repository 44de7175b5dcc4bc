import { S3Error } from '../errors.js';
import { localPath } from '../s3/object-keys.js';
import type { ObjectEntry, SourceFile, Target } from '../types.js';

/** Entries that each collection of a sync holds. Conflicts of further entries fail, and nothing is deleted for them. */
export const ENTRIES_MAX = 200_000;

/** A directory of the target at the path of an object that belongs into a file. */
interface BlockingFolder {
  entry: ObjectEntry;
  path: string;
  /** Files in the directory that may be deleted. */
  files: SourceFile[];
  /** The source has other objects for this directory. */
  isNeeded: boolean;
}

/**
 * Collects conflicts between names: a file where a directory must stand, the reverse, or a name that differs only in case.
 * Downloads wait in `deferred` until the conflicting items are deleted.
 */
export class TypeConflicts {
  /** Files that only the target has, by path. */
  readonly #deletable = new Map<string, SourceFile>();
  readonly #deletedFirst = new Set<SourceFile>();
  readonly #blockingFolders = new Map<string, BlockingFolder>();
  /** Objects whose path finds a file of another name, because the disk ignores case. */
  readonly #caseConflicts: { entry: ObjectEntry; path: string }[] = [];
  readonly deferred: ObjectEntry[] = [];

  /** @param canDelete the sync deletes what only the target has */
  constructor(
    private readonly target: Target,
    private readonly canDelete: boolean,
  ) {}

  addDeletable(file: SourceFile): void {
    if (this.#deletable.size < ENTRIES_MAX) this.#deletable.set(file.path, file);
  }

  /**
   * Returns whether the download of an object must wait until conflicting items are deleted. Objects must come in key order: a file
   * of the target is then known before the objects below its name.
   */
  async defers(entry: ObjectEntry, name: string): Promise<boolean> {
    if (this.deferred.length + this.#blockingFolders.size + this.#caseConflicts.length >= ENTRIES_MAX) return false;
    if (this.#isBelowFile(entry, name)) return true;
    const place = localPath(name);
    if (name.endsWith('/') || 'problem' in place) return false;
    const { path } = place;
    // A result without a promise is used at once, because objects below the same name come next.
    const isFolder = this.canDelete && this.target.isFolder?.(path);
    if (isFolder === true || (isFolder && (await isFolder))) {
      this.#blockingFolders.set(path, { entry, path, files: [], isNeeded: false });
      return true;
    }
    if (!(await this.target.isOther?.(path))) return false;
    this.#caseConflicts.push({ entry, path });
    return true;
  }

  /** Defers an object if a file that may be deleted stands where one of its parent directories must be. */
  #isBelowFile(entry: ObjectEntry, name: string): boolean {
    if (this.#deletable.size + this.#blockingFolders.size === 0) return false;
    for (const parent of parentFolders(name)) {
      const folder = this.#blockingFolders.get(parent);
      if (folder !== undefined) folder.isNeeded = true;
      const file = this.#deletable.get(parent);
      if (file === undefined) continue;
      this.#deletedFirst.add(file);
      this.deferred.push(entry);
      return true;
    }
    return false;
  }

  /**
   * Defers the objects whose path finds a file of another name, if that file may be deleted.
   * @returns the other objects; a file of another name keeps their path
   */
  resolveCaseConflicts(mayDelete: boolean): ObjectEntry[] {
    const files = new Map<string, SourceFile>();
    if (this.#caseConflicts.length > 0 && mayDelete)
      for (const file of this.#deletable.values()) files.set(file.path.toLowerCase(), file);
    return this.#caseConflicts.flatMap(({ entry, path }) => {
      const file = files.get(path.toLowerCase());
      if (file === undefined) return [entry];
      this.#deletedFirst.add(file);
      this.deferred.push(entry);
      return [];
    });
  }

  /** Returns whether a file is deleted before the deferred downloads, so that it needs no deletion at the end. */
  isDeletedFirst(file: SourceFile): boolean {
    return this.#deletedFirst.has(file);
  }

  /** Returns the files that stand where a directory or a file of another case must be. */
  filesToDelete(): SourceFile[] {
    return [...this.#deletedFirst];
  }

  /** Returns the directories that stand where a file must be. */
  foldersToClear(): BlockingFolder[] {
    for (const file of this.#blockingFolders.size > 0 ? this.#deletable.values() : [])
      for (const parent of parentFolders(file.path)) this.#blockingFolders.get(parent)?.files.push(file);
    return [...this.#blockingFolders.values()];
  }

  /**
   * Deletes a directory and defers the object that takes its place.
   * @throws S3Error `NameTaken` if the directory may not be deleted; then nothing is deleted
   */
  async clearFolder({ entry, path, files, isNeeded }: BlockingFolder, mayDelete: boolean, dryRun: boolean): Promise<void> {
    const paths = new Set(files.map((file) => file.path));
    const refuse = (reason: string): S3Error => new S3Error('NameTaken', `${path} is a directory, and ${reason}.`);
    if (isNeeded) throw refuse('the source has objects below it as well');
    // The reason is reported once for the whole run, and not here.
    if (!mayDelete) throw refuse('nothing is deleted in this run');
    if (!(await this.target.clear?.(path, paths, dryRun))) throw refuse('it contains files that may not be deleted');
    for (const file of files) this.#deletedFirst.add(file);
    this.deferred.push(entry);
  }
}

/** Yields the paths of all parent directories, the outermost first. */
export function* parentFolders(path: string): Generator<string> {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) yield path.slice(0, slash);
}
