import { DELETE_MAX } from '../commands/delete-objects.js';
import { S3Error } from '../errors.js';
import type { Run } from './run.js';

/** Held at most; beyond, one looks again. */
export const DOOMED_MAX = 200_000;

/** What a sync will remove at its end. */
export class Doomed<Item> {
  readonly #items: Item[] = [];
  #overflown = false;

  add(item: Item): void {
    if (this.#items.length < DOOMED_MAX) this.#items.push(item);
    else this.#overflown = true;
  }

  /** Why nothing may be removed: what could not be read, or copied, may have no other copy than what looks like too much. */
  problem(run: Run): S3Error | undefined {
    if (this.#items.length === 0 || run.summary.failed === 0) return undefined;
    return new S3Error('NotDeleted', 'Nothing was deleted, since not everything could be copied.');
  }

  get overflown(): boolean {
    return this.#overflown;
  }

  *batches(): Generator<Item[]> {
    for (let at = 0; at < this.#items.length; at += DELETE_MAX) yield this.#items.slice(at, at + DELETE_MAX);
  }
}
