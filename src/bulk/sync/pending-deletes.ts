import { S3Error } from '../errors.js';
import type { Pair } from '../list/merge-sorted.js';
import { DELETE_MAX } from '../s3/commands/delete-objects.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { SourceFile } from '../types.js';
import type { SyncOptions } from './sync-options.js';

/** Items that are held in memory. Further ones are only counted; another comparison finds them when these are deleted. */
const PENDING_MAX = 200_000;

/** Collects the items that a sync deletes at its end, and decides whether it may delete them. */
export class PendingDeletes<Item> {
  readonly #items: Item[] = [];
  #count = 0;
  /** Number of items of the source. */
  sourceItems = 0;
  /** Number of files among them. A disk that is not mounted still has its directory. */
  #sourceFiles = 0;

  /** @param alreadyReported number of first items to ignore: a dry run has reported them and has not deleted them */
  constructor(private alreadyReported = 0) {}

  get isSourceEmpty(): boolean {
    return this.sourceItems === 0;
  }

  /** True if more items are pending than are held in memory. */
  get isTruncated(): boolean {
    return this.#count > PENDING_MAX;
  }

  countSourceItem(name: string, size: number | null | undefined): void {
    this.sourceItems++;
    if (size !== 0 || !name.endsWith('/')) this.#sourceFiles++;
  }

  add(item: Item): void {
    if (this.alreadyReported > 0) this.alreadyReported--;
    else if (++this.#count <= PENDING_MAX) this.#items.push(item);
  }

  /** Returns why nothing may be deleted, or undefined. */
  findProblem(context: TransferContext, { maxDelete, paths }: SyncOptions): S3Error | undefined {
    if (this.#count === 0) return undefined;
    // An item that could not be copied may have its only copy among those to delete.
    if (context.report.summary.failed > 0)
      return new S3Error('NotDeleted', 'Nothing was deleted, because not everything could be copied.');
    if (maxDelete === undefined && this.#sourceFiles === 0)
      return this.#tooMany(`the source has no file${paths ? ' of the list' : ''}`);
    return this.#count > (maxDelete ?? Infinity) ? this.#tooMany(`at most ${maxDelete} may be deleted`) : undefined;
  }

  #tooMany(reason: string): S3Error {
    return new S3Error('TooMuchToDelete', `Nothing was deleted: ${reason}, and the target has ${this.#count} to delete.`);
  }

  /**
   * Checks a second comparison, because the decision to delete was made after the first one.
   * @param first result of the first comparison
   * @param deleted number of its items that were deleted since
   * @returns why the remaining items may not be deleted, or undefined
   */
  changedSince(first: PendingDeletes<Item>, deleted: number): S3Error | undefined {
    if (this.sourceItems >= first.sourceItems && this.#count <= first.#count - deleted) return undefined;
    return new S3Error('NotDeleted', `${this.#count} were not deleted, because the source or the target changed meanwhile.`);
  }

  *batches(): Generator<Item[]> {
    for (let start = 0; start < this.#items.length; start += DELETE_MAX) yield this.#items.slice(start, start + DELETE_MAX);
  }
}

/**
 * Leaves out the links that the source skips, and everything at or below their paths on the other side. The target of a skipped
 * link is unknown, so nothing below it counts as deleted.
 */
export async function* skipLinkedPaths<Right>(
  pairs: AsyncIterable<Pair<SourceFile, Right>>,
): AsyncGenerator<Pair<SourceFile, Right>> {
  let links: string[] = [];
  for await (const pair of pairs) {
    const { name, left } = pair;
    // Paths below a link follow it in key order, mixed only with names that begin with the same text.
    if (left?.skippedLink) links = [...links.filter((link) => name.startsWith(link)), name];
    else if (left !== undefined || !links.some((link) => name.startsWith(`${link}/`))) yield pair;
  }
}
