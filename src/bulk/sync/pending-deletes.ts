import type { SyncOptions } from './sync-options.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { DELETE_MAX } from '../s3/commands/delete-objects.js';
import { S3Error } from '../errors.js';
import type { SourceFile } from '../types.js';
import type { Pair } from '../list/merge-sorted.js';

/** Held at most; beyond, one looks again. */
const PENDING_MAX = 200_000;

/** Collects what a sync deletes at its end. */
export class PendingDeletes<Item> {
  readonly #items: Item[] = [];
  #count = 0;
  /** Number of items on the source. */
  sources = 0;
  /** Of that, files. Of disks that are not mounted the directories are left. */
  #files = 0;

  get sourceEmpty(): boolean {
    return this.sources === 0;
  }

  /** @param told so many of the first to come were told of already, and are still there: the run is a dry one */
  constructor(private told = 0) {}

  /** Something is on the source. */
  countSource(name: string, size: number | null | undefined): void {
    this.sources++;
    if (size !== 0 || !name.endsWith('/')) this.#files++;
  }

  add(item: Item): void {
    if (this.told > 0) this.told--;
    else if (++this.#count <= PENDING_MAX) this.#items.push(item);
  }

  /** Why nothing may be removed. */
  problem(context: TransferContext, { maxDelete: max, paths }: SyncOptions): S3Error | undefined {
    if (this.#count === 0) return undefined;
    // An item that could not be copied may have its only copy among those to delete.
    if (context.report.summary.failed > 0)
      return new S3Error('NotDeleted', 'Nothing was deleted, since not everything could be copied.');
    const all = max === undefined && this.#files === 0;
    if (!all && this.#count <= (max ?? Infinity)) return undefined;
    const why = all ? `the source has no file${paths ? ' of the list' : ''}` : `at most ${max} may go`;
    return new S3Error('TooMuchToDelete', `Nothing was deleted: ${this.#count} would go, and ${why}.`);
  }

  get isTruncated(): boolean {
    return this.#count > PENDING_MAX;
  }

  /** Why nothing of this may go, which a later look has found, when so many of them are gone: what was asked then is true no more. */
  changedSince(first: PendingDeletes<Item>, gone: number): S3Error | undefined {
    if (this.sources >= first.sources && this.#count <= first.#count - gone) return undefined;
    return new S3Error('NotDeleted', `${this.#count} were not deleted: the source, or the target, has changed meanwhile.`);
  }

  *batches(): Generator<Item[]> {
    for (let at = 0; at < this.#items.length; at += DELETE_MAX) yield this.#items.slice(at, at + DELETE_MAX);
  }
}

/** Without links that the source leaves out, and what the other side has at or below their names: nobody has looked whether it is there. */
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
