import { aborted } from './waiting.js';

/** Makes zeroed memory of so many bytes. */
type Make = (bytes: number) => Uint8Array;
const plain: Make = (bytes) => new Uint8Array(bytes);

/** What sizes are rounded up to, and where pieces begin. */
const GRAIN = 16 * 1024;
/** Larger pieces are cut from the end: between small ones there would soon be no room for them. */
const LARGE = 1024 * 1024;

/**
 * Lends memory for bodies, at most so many bytes at a time, all of it cut from one piece: whatever sizes thousands of requests ask for,
 * nothing is left to the collector. What was never asked for is never touched, and so takes no room.
 */
export class Buffers {
  /** Made with the first piece. */
  #all: Uint8Array | undefined;
  readonly #size: number;
  /** What is not lent, in order, and nowhere next to each other. */
  readonly #free: { start: number; end: number }[];
  #lent = 0;
  readonly #waiting: {
    size: number;
    make: Make;
    go: (buffer: Uint8Array) => void;
    fail: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];

  constructor(readonly budget: number) {
    this.#size = Math.max(GRAIN, budget - (budget % GRAIN));
    this.#free = [{ start: 0, end: this.#size }];
  }

  /** A piece of at least `size` bytes. One larger than the whole budget is lent when nothing else is out. */
  take(size: number, signal: AbortSignal, make = plain): Uint8Array | Promise<Uint8Array> {
    const rounded = Math.max(GRAIN, Math.ceil(size / GRAIN) * GRAIN);
    const piece = this.#waiting.length === 0 ? this.#lend(rounded, make) : undefined;
    if (piece !== undefined) return piece;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(aborted(signal));
      this.#waiting.push({ size: rounded, make, go: resolve, fail: reject, signal });
      return undefined;
    });
  }

  give(buffer: Uint8Array): void {
    this.#lent -= buffer.length;
    if (buffer.buffer === this.#all?.buffer) this.#join(buffer.byteOffset - this.#all.byteOffset, buffer.length);
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0]!;
      const piece = next.signal.aborted ? undefined : this.#lend(next.size, next.make);
      if (piece === undefined && !next.signal.aborted) return;
      this.#waiting.shift();
      if (piece === undefined) next.fail(aborted(next.signal));
      else next.go(piece);
    }
  }

  #lend(size: number, make: Make): Uint8Array | undefined {
    if (this.#lent > 0 && this.#lent + size > this.#size) return undefined;
    const start = this.#cut(size);
    if (start === undefined && this.#lent > 0) return undefined;
    this.#lent += size;
    if (start === undefined) return make(size);
    this.#all ??= make(this.#size);
    return this.#all.subarray(start, start + size);
  }

  /** Takes so many bytes out of what is free. @returns where they begin. */
  #cut(size: number): number | undefined {
    const fits = ({ start, end }: { start: number; end: number }): boolean => end - start >= size;
    const at = size > LARGE ? this.#free.findLastIndex(fits) : this.#free.findIndex(fits);
    const gap = this.#free[at];
    if (gap === undefined) return undefined;
    const start = size > LARGE ? gap.end - size : gap.start;
    if (gap.end - gap.start === size) this.#free.splice(at, 1);
    else if (size > LARGE) gap.end = start;
    else gap.start += size;
    return start;
  }

  #join(start: number, size: number): void {
    const after = this.#free.findIndex((gap) => gap.start > start);
    const at = after < 0 ? this.#free.length : after;
    const [before, next] = [this.#free[at - 1], this.#free[at]];
    const end = start + size;
    if (before?.end === start && next?.start === end) {
      before.end = next.end;
      this.#free.splice(at, 1);
    } else if (before?.end === start) before.end = end;
    else if (next?.start === end) next.start = start;
    else this.#free.splice(at, 0, { start, end });
  }
}
