import type { QueueItem } from '../queue-item.js';

/** The files that wait to be sent, first in, first out. Files whose state is no longer `queued` are skipped. */
export class PendingQueue {
  #items: QueueItem[] = [];
  /** Index of the first item that was not taken yet. Removing it from the array would take linear time. */
  #next = 0;
  /** Files that are sent before all others. */
  #front: QueueItem[] = [];

  push(item: QueueItem): void {
    this.#items.push(item);
  }

  /** Puts files before all others, in the given order. */
  unshift(items: readonly QueueItem[]): void {
    this.#front = [...items, ...this.#front];
  }

  /** Returns the next file without taking it. */
  peek(): QueueItem | undefined {
    while (this.#front.length > 0 && !this.#front[0]!.isQueued) this.#front.shift();
    if (this.#front.length > 0) return this.#front[0];
    while (this.#next < this.#items.length && !this.#items[this.#next]!.isQueued) this.#next++;
    if (this.#next < this.#items.length) return this.#items[this.#next];
    this.#items = [];
    this.#next = 0;
    return undefined;
  }

  /** Takes the file that `peek` returned. */
  shift(): void {
    if (this.#front.length > 0) this.#front.shift();
    else this.#next++;
  }

  /** Returns up to `count` next files without taking them. */
  peekMany(count: number): QueueItem[] {
    const found: QueueItem[] = [];
    const collect = (items: readonly QueueItem[], from: number) => {
      for (let index = from; index < items.length && found.length < count; index++) {
        if (items[index]!.isQueued) found.push(items[index]!);
      }
    };
    collect(this.#front, 0);
    collect(this.#items, this.#next);
    return found;
  }

  /** Takes all files. */
  takeAll(): QueueItem[] {
    const items = this.peekMany(Number.POSITIVE_INFINITY);
    this.#items = [];
    this.#front = [];
    this.#next = 0;
    return items;
  }
}
