import { aborted } from './waiting.js';

/** Makes zeroed memory of so many bytes. */
type Make = (bytes: number) => Uint8Array;
const plain: Make = (bytes) => new Uint8Array(bytes);

const SMALLEST = 16 * 1024;

/**
 * Lends memory for bodies, at most so many bytes at a time, and hands the same pieces out again: thousands of requests
 * neither outgrow the budget nor keep the collector busy. Sizes are rounded up to powers of two.
 */
export class Buffers {
  #lent = 0;
  readonly #free = new Map<number, Uint8Array[]>();
  #kept = 0;
  readonly #waiting: {
    size: number;
    make: Make;
    go: (buffer: Uint8Array) => void;
    fail: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];

  constructor(readonly budget: number) {}

  /** A piece of at least `size` bytes. One larger than the whole budget is lent when nothing else is out. */
  take(size: number, signal: AbortSignal, make = plain): Uint8Array | Promise<Uint8Array> {
    const rounded = roundUp(size);
    if (this.#waiting.length === 0 && this.#fits(rounded)) return this.#lend(rounded, make);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(aborted(signal));
      this.#waiting.push({ size: rounded, make, go: resolve, fail: reject, signal });
      return undefined;
    });
  }

  give(buffer: Uint8Array): void {
    this.#lent -= buffer.length;
    const shelf = this.#free.get(buffer.length);
    if (shelf) shelf.push(buffer);
    else this.#free.set(buffer.length, [buffer]);
    this.#kept += buffer.length;
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0]!;
      if (next.signal.aborted) {
        this.#waiting.shift();
        next.fail(aborted(next.signal));
      } else if (this.#fits(next.size)) {
        this.#waiting.shift();
        next.go(this.#lend(next.size, next.make));
      } else return;
    }
  }

  #fits(size: number): boolean {
    return this.#lent === 0 || this.#lent + size <= this.budget;
  }

  #lend(size: number, make: Make): Uint8Array {
    this.#lent += size;
    const kept = this.#free.get(size)?.pop();
    if (kept) {
      this.#kept -= size;
      return kept;
    }
    // Pieces of other sizes that lie idle must not add up to more than the budget.
    if (this.#lent + this.#kept > this.budget) this.#drop();
    return make(size);
  }

  #drop(): void {
    this.#free.clear();
    this.#kept = 0;
  }
}

const roundUp = (size: number): number => {
  let rounded = SMALLEST;
  while (rounded < size) rounded *= 2;
  // Above a MiB, doubling wastes too much: whole MiB instead.
  return size > 1024 * 1024 ? Math.ceil(size / (1024 * 1024)) * 1024 * 1024 : rounded;
};
