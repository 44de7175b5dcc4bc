/** Allocates zeroed memory. */
export type Allocate = (bytes: number) => Uint8Array;

/** Larger pieces are cut from the end. Between small pieces, free ranges would soon be too short for them. Bytes. */
const LARGE_MIN = 1024 * 1024;

interface FreeRange {
  start: number;
  end: number;
}

/** One block of memory from which pieces are cut. It is allocated when the first piece is cut. */
export class Arena {
  #memory: Uint8Array | undefined;
  /** Free ranges in order. No two of them touch. */
  readonly #free: FreeRange[];

  constructor(
    private readonly allocate: Allocate,
    private readonly size: number,
  ) {
    this.#free = [{ start: 0, end: size }];
  }

  /** @returns undefined if no free range is large enough */
  cut(size: number): Uint8Array | undefined {
    const isLarge = size > LARGE_MIN;
    const fits = ({ start, end }: FreeRange): boolean => end - start >= size;
    const index = isLarge ? this.#free.findLastIndex(fits) : this.#free.findIndex(fits);
    const range = this.#free[index];
    if (range === undefined) return undefined;
    const start = isLarge ? range.end - size : range.start;
    if (range.end - range.start === size) this.#free.splice(index, 1);
    else if (isLarge) range.end = start;
    else range.start += size;
    this.#memory ??= this.allocate(this.size);
    return this.#memory.subarray(start, start + size);
  }

  /** Takes a piece back and joins it with the free ranges beside it. Does nothing if the piece is from elsewhere. */
  release(piece: Uint8Array): void {
    if (piece.buffer !== this.#memory?.buffer) return;
    const start = piece.byteOffset - this.#memory.byteOffset;
    const end = start + piece.length;
    const following = this.#free.findIndex((range) => range.start > start);
    const index = following < 0 ? this.#free.length : following;
    const [before, after] = [this.#free[index - 1], this.#free[index]];
    if (before?.end === start && after?.start === end) {
      before.end = after.end;
      this.#free.splice(index, 1);
    } else if (before?.end === start) before.end = end;
    else if (after?.start === end) after.start = start;
    else this.#free.splice(index, 0, { start, end });
  }
}
