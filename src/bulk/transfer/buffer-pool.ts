import { abortError } from '../abort.js';

/** Makes zeroed memory of so many bytes. */
type Make = (bytes: number) => Uint8Array;
const plain: Make = (bytes) => new Uint8Array(bytes);

/** Granularity of sizes and offsets, in bytes. */
const GRAIN = 16 * 1024;
const MOST = 1024 ** 3;
/** Larger pieces are cut from the end: between small ones there would soon be no room for them. */
const LARGE = 1024 * 1024;

/**
 * Lends memory for bodies, up to a limit. All buffers of one kind are cut from one arena, so that the garbage collector has
 * nothing to do. Memory that was never used takes no space.
 */
export class BufferPool {
  readonly #size: number;
  #lent = 0;
  /** Memory of this thread, and what a target shares with others: who writes tells them apart. */
  readonly #arenas = new Map<Make, Arena>();
  #waiting: {
    size: number;
    make: Make;
    go: (buffer: Uint8Array) => void;
    fail: (error: unknown) => void;
    signal: AbortSignal;
  }[] = [];
  /** One abort listener per signal. Platforms warn of a leak when hundreds of listeners share one signal. */
  readonly #abortListeners = new Map<AbortSignal, () => void>();

  readonly budget: number;

  /** @param budget bytes, of which the platform holds no more than `MOST` in one */
  constructor(budget: number) {
    this.budget = Math.min(budget, MOST);
    this.#size = Math.max(GRAIN, this.budget - (this.budget % GRAIN));
  }

  /** A piece of at least `size` bytes. One larger than the whole budget is lent when nothing else is out. */
  acquire(size: number, signal: AbortSignal, make = plain): Uint8Array | Promise<Uint8Array> {
    const rounded = Math.max(GRAIN, Math.ceil(size / GRAIN) * GRAIN);
    const piece = this.#waiting.length === 0 ? this.#lend(rounded, make) : undefined;
    if (piece !== undefined) return piece;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortError(signal));
      this.#waiting.push({ size: rounded, make, go: resolve, fail: reject, signal });
      this.#listen(signal);
      return undefined;
    });
  }

  release(buffer: Uint8Array): void {
    this.#lent -= buffer.length;
    for (const arena of this.#arenas.values()) arena.join(buffer);
    this.#admit();
  }

  #admit(): void {
    while (this.#waiting.length > 0) {
      const { size, make, go, signal } = this.#waiting[0]!;
      const piece = this.#lend(size, make);
      if (piece === undefined) return;
      this.#waiting.shift();
      if (!this.#waiting.some((other) => other.signal === signal)) this.#stopListening(signal);
      go(piece);
    }
  }

  #listen(signal: AbortSignal): void {
    if (this.#abortListeners.has(signal)) return;
    const onAbort = (): void => {
      this.#stopListening(signal);
      const ended = this.#waiting.filter((one) => one.signal === signal);
      this.#waiting = this.#waiting.filter((one) => one.signal !== signal);
      for (const { fail } of ended) fail(abortError(signal));
      // The first in line may have been too large for what is there, and those behind it are not.
      this.#admit();
    };
    this.#abortListeners.set(signal, onAbort);
    signal.addEventListener('abort', onAbort);
  }

  #stopListening(signal: AbortSignal): void {
    signal.removeEventListener('abort', this.#abortListeners.get(signal)!);
    this.#abortListeners.delete(signal);
  }

  #lend(size: number, make: Make): Uint8Array | undefined {
    if (this.#lent > 0 && this.#lent + size > this.#size) return undefined;
    let arena = this.#arenas.get(make);
    if (arena === undefined) this.#arenas.set(make, (arena = new Arena(make, this.#size)));
    const piece = size > this.#size ? make(size) : arena.cut(size);
    if (piece !== undefined) this.#lent += size;
    return piece;
  }
}

/** Memory in one, of which pieces are cut. */
class Arena {
  #memory: Uint8Array | undefined;
  /** Free ranges in order. No two of them touch. */
  readonly #free: { start: number; end: number }[];

  constructor(
    private readonly make: Make,
    private readonly size: number,
  ) {
    this.#free = [{ start: 0, end: size }];
  }

  cut(size: number): Uint8Array | undefined {
    const fits = ({ start, end }: { start: number; end: number }): boolean => end - start >= size;
    const at = size > LARGE ? this.#free.findLastIndex(fits) : this.#free.findIndex(fits);
    const gap = this.#free[at];
    if (gap === undefined) return undefined;
    const start = size > LARGE ? gap.end - size : gap.start;
    if (gap.end - gap.start === size) this.#free.splice(at, 1);
    else if (size > LARGE) gap.end = start;
    else gap.start += size;
    const memory = (this.#memory ??= this.make(this.size));
    return memory.subarray(start, start + size);
  }

  /** Takes a piece back, if it was cut from here. */
  join(piece: Uint8Array): void {
    if (piece.buffer !== this.#memory?.buffer) return;
    const start = piece.byteOffset - this.#memory.byteOffset;
    const end = start + piece.length;
    const after = this.#free.findIndex((gap) => gap.start > start);
    const at = after < 0 ? this.#free.length : after;
    const [before, next] = [this.#free[at - 1], this.#free[at]];
    if (before?.end === start && next?.start === end) {
      before.end = next.end;
      this.#free.splice(at, 1);
    } else if (before?.end === start) before.end = end;
    else if (next?.start === end) next.start = start;
    else this.#free.splice(at, 0, { start, end });
  }
}
