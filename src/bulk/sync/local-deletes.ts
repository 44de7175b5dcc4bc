import { toS3Error } from '../errors.js';
import { localPath, nameOf } from '../s3/object-keys.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { SourceFile, Target } from '../types.js';
import { ENTRIES_MAX, parentFolders } from './type-conflicts.js';

/** Deletes files of the target, and folders that become empty by that. */
export class LocalDeletes {
  /** Folders that are objects of the source. They stay when they become empty. */
  readonly #keptFolders = new Set<string>();

  constructor(
    private readonly context: TransferContext,
    private readonly target: Target,
  ) {}

  /** @param name ends with a slash */
  keepFolder(name: string): void {
    if (this.#keptFolders.size < ENTRIES_MAX) this.#keptFolders.add(name);
  }

  async deleteFiles(files: SourceFile[]): Promise<void> {
    const { dryRun, report } = this.context;
    for (const file of files) {
      const place = localPath(nameOf(file));
      if ('problem' in place) continue;
      try {
        if (!dryRun) await this.target.remove(place.path);
        report.done('delete', file.path, file.size ?? 0);
      } catch (error) {
        report.fail('delete', file.path, toS3Error(error));
      }
    }
  }

  /** Deletes the empty parent folders of deleted files. Otherwise the next sync up would store them as objects. */
  async deleteEmptyFolders(files: SourceFile[]): Promise<void> {
    // Beyond this number some folders to keep are unknown.
    if (this.#keptFolders.size >= ENTRIES_MAX) return;
    const folders = new Set(files.flatMap(({ path }) => [...parentFolders(path)]));
    // Inner folders first.
    for (const folder of [...folders].toSorted().toReversed())
      try {
        if (!this.#keptFolders.has(`${folder}/`) && (await this.target.isFolder?.(folder))) await this.target.remove(folder);
      } catch {
        // The folder is not empty.
      }
  }
}
