import type { Item } from './queue-item.js';

/** The files that wait for their turn, first in first out. Leaving is by state: who is no longer `queued` is passed over. */
export class Line {
  #items: Item[] = [];
  #next = 0;
  /** Those who were there before and go first. */
  #front: Item[] = [];

  push(item: Item): void {
    this.#items.push(item);
  }

  /** In front of all others, in the order given. */
  unshift(items: readonly Item[]): void {
    this.#front = [...items, ...this.#front];
  }

  /** The next file that is still queued, left in its place. */
  peek(): Item | undefined {
    while (this.#front.length > 0 && !this.#front[0]!.isQueued) this.#front.shift();
    if (this.#front.length > 0) return this.#front[0];
    while (this.#next < this.#items.length && !this.#items[this.#next]!.isQueued) this.#next++;
    if (this.#next < this.#items.length) return this.#items[this.#next];
    this.#items = [];
    this.#next = 0;
    return undefined;
  }

  /** Takes out what `peek` just showed. */
  shift(): void {
    if (this.#front.length > 0) this.#front.shift();
    else this.#next++;
  }

  /** Up to `count` files that come next, without taking them. */
  ahead(count: number): Item[] {
    const found: Item[] = [];
    const look = (items: readonly Item[], from: number) => {
      for (let index = from; index < items.length && found.length < count; index++) {
        if (items[index]!.isQueued) found.push(items[index]!);
      }
    };
    look(this.#front, 0);
    look(this.#items, this.#next);
    return found;
  }

  clear(): void {
    this.#items = [];
    this.#front = [];
    this.#next = 0;
  }
}
