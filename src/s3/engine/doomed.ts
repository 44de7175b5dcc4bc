import { DELETE_MAX } from '../commands/delete-objects.js';

/** Held at most; beyond, one looks again. */
export const DOOMED_MAX = 200_000;

/** What a sync will remove at its end. */
export class Doomed<Item> {
  readonly #items: Item[] = [];
  #overflown = false;
  #spared = false;

  add(item: Item): void {
    if (this.#items.length < DOOMED_MAX) this.#items.push(item);
    else this.#overflown = true;
  }

  /** Part of the source could not be read: what lies there looks like too much and is not. */
  spare(): void {
    this.#spared = true;
  }

  get spared(): boolean {
    return this.#spared && this.#items.length > 0;
  }

  get overflown(): boolean {
    return this.#overflown;
  }

  *batches(): Generator<Item[]> {
    for (let at = 0; at < this.#items.length; at += DELETE_MAX) yield this.#items.slice(at, at + DELETE_MAX);
  }
}
