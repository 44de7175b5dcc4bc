import { discardStaleDownloads } from '../download/download.js';
import { downloadObject, skipExisting } from '../download/download-object.js';
import type { SaveSettings } from '../download/download-object.js';
import { S3Error, toS3Error } from '../errors.js';
import { rejectObjectAsPrefix } from '../list/empty-prefix.js';
import { callerSource, mergeSorted } from '../list/merge-sorted.js';
import type { Pair } from '../list/merge-sorted.js';
import { nameOf } from '../s3/object-keys.js';
import type { Store } from '../s3/object-store.js';
import { runTransfer } from '../transfer/run-transfer.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, Place, SortedSource, SourceFile, Summary, Target } from '../types.js';
import { isSameFile, pairFingerprint } from './compare.js';
import { deletePending } from './delete-pending.js';
import { LocalDeletes } from './local-deletes.js';
import { PendingDeletes } from './pending-deletes.js';
import { countSourceItems, pathBelow, selectedObjects } from './sync-entries.js';
import type { SyncDownOptions } from './sync-options.js';
import { TypeConflicts } from './type-conflicts.js';
import { validateSyncOptions } from './validate-sync-options.js';

/**
 * Makes a local tree match a prefix.
 * @param existing the local tree; it yields temporary files of interrupted downloads as well
 * @throws S3Error as `runTransfer`
 */
export function syncDown(
  store: Store,
  from: Place,
  target: Target,
  existing: SortedSource,
  options: SyncDownOptions,
): Promise<Summary> {
  return runTransfer(store, options, async (context) => {
    validateSyncOptions(options, from);
    const sync = new DownSync(context, from, target, existing, options);
    await sync.downloadDifferences();
    if (sync.isSourceEmpty) await rejectObjectAsPrefix(context, from);
    const problem = await sync.resolveConflicts();
    await sync.deleteOthers(problem);
    await discardStaleDownloads(context, from, target, options);
  });
}

/** The steps of `syncDown`. Items on the left are objects, items on the right are local files. */
class DownSync {
  readonly #settings: SaveSettings;
  readonly #pending = new PendingDeletes<SourceFile>();
  readonly #conflicts: TypeConflicts;
  readonly #deletes: LocalDeletes;
  /** A later run deletes leftover files of this run when its journal has nothing to resume. */
  readonly #hasUnfinished: boolean;

  constructor(
    private readonly context: TransferContext,
    private readonly from: Place,
    target: Target,
    private readonly existing: SortedSource,
    private readonly options: SyncDownOptions,
  ) {
    this.#settings = { ...options, bucket: from.bucket, target };
    this.#conflicts = new TypeConflicts(target, options.delete === true);
    this.#deletes = new LocalDeletes(context, target);
    this.#hasUnfinished = context.journal.unfinished.size > 0;
  }

  get isSourceEmpty(): boolean {
    return this.#pending.isSourceEmpty;
  }

  /** Downloads what differs, and collects conflicts and files to delete. */
  async downloadDifferences(): Promise<void> {
    const { context, from } = this;
    await context.workers.forEach(
      'download',
      countSourceItems(context, this.#compareSides(), this.#pending),
      ({ name }) => name || from.prefix,
      (pair) => this.#processPair(pair),
    );
  }

  /**
   * Deletes the items that stand where an object belongs, and downloads these objects.
   * @returns why nothing was deleted, or undefined
   */
  async resolveConflicts(): Promise<S3Error | undefined> {
    const { context, options } = this;
    const { report, workers, dryRun } = context;
    const conflicts = this.#conflicts;
    const problem = this.#pending.findProblem(context, options);
    const mayDelete = problem === undefined;
    for (const { key } of conflicts.resolveCaseConflicts(mayDelete))
      report.fail('download', key, new S3Error('NameTaken', `${key}: the target has a file whose name differs only in case.`));
    if (mayDelete) await this.#deletes.deleteFiles(conflicts.filesToDelete());
    for (const folder of conflicts.foldersToClear())
      try {
        await conflicts.clearFolder(folder, mayDelete, dryRun);
        for (const { path, size } of folder.files) report.done('delete', path, size ?? 0);
      } catch (error) {
        report.fail('download', folder.entry.key, toS3Error(error));
      }
    await workers.forEach(
      'download',
      conflicts.deferred,
      ({ key }) => key,
      (entry) => this.#download(entry, { ...this.#settings, cleared: mayDelete }),
    );
    return problem;
  }

  /** Deletes what only the target has, unless `problem` forbids it. */
  async deleteOthers(problem: S3Error | undefined): Promise<void> {
    const { context, options } = this;
    await deletePending(context, this.#pending, options, {
      problem,
      compareAgain: () => this.#compareSides(),
      mayDelete: (file) => this.#mayDelete(file),
      deleteBatch: async (batch) => {
        await this.#deletes.deleteFiles(batch.filter((file) => !this.#conflicts.isDeletedFirst(file)));
        // With a key list, folders may contain files that do not take part.
        if (!context.dryRun && options.paths === undefined) await this.#deletes.deleteEmptyFolders(batch);
      },
    });
  }

  #compareSides(): AsyncGenerator<Pair<ObjectEntry, SourceFile>> {
    const objects = selectedObjects(this.context, this.from, this.options);
    return mergeSorted(objects, callerSource(this.existing), (entry) => pathBelow(this.from, entry), nameOf);
  }

  async #processPair({ name, left: object, right: file, folder }: Pair<ObjectEntry, SourceFile>): Promise<unknown> {
    const { context, from, options } = this;
    if (object === undefined) return this.#collectDeletable(name, file!);
    if (name.endsWith('/')) this.#deletes.keepFolder(name);
    if (file === undefined || file.leftOver) {
      // Folders are checked as well: `a/` shows that the source needs the directory for which the object `a` waits.
      if (await this.#conflicts.defers(object, name)) return undefined;
      if (folder && object.size === 0) return context.report.skip('download', object.key, 0, 'same');
      return this.#download(object);
    }
    const isSame =
      file.problem === undefined && (await isSameFile(context, from.bucket, file, object, options.compare ?? 'times', true));
    return isSame ? skipExisting(context, this.#settings.target, object, name, 'same') : this.#download(object);
  }

  #collectDeletable(name: string, file: SourceFile): void {
    if (!this.#mayDelete(file)) return;
    if (this.options.delete) {
      this.#conflicts.addDeletable(file);
      this.#pending.add(file);
    } else if (file.leftOver) this.context.report.emit({ type: 'leftover', name, size: file.size ?? 0 });
  }

  /**
   * Returns whether a sync may delete a file that only the target has. Empty directories stay, and so does everything behind a link,
   * because it may belong to another tree.
   */
  #mayDelete(file: SourceFile): boolean {
    if (file.problem !== undefined || file.directory || file.linked) return false;
    return !(file.leftOver && this.#hasUnfinished);
  }

  async #download(entry: ObjectEntry, settings: SaveSettings = this.#settings): Promise<void> {
    const { context, from } = this;
    const file = await downloadObject(context, entry, from.prefix, settings, false);
    if (file === undefined) return;
    const local = { path: '', size: file.size, mtimeNs: file.mtimeNs };
    context.journal.complete(pairFingerprint(local, { ...entry, etag: file.etag }));
  }
}
