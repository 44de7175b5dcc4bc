import { TempFile } from '../files/temp-file.js';

/** Numbers that are read or written at once when files are merged: a multiple of `PAGE`. */
const BLOCK = 64 * 1024;
/** Numbers that are read at once for a search: 4 KiB. */
const PAGE = 512;
const NUMBER_BYTES = 8;

/** Sorted 64-bit numbers in a temporary file. The first number of every page is held in memory. Its methods throw `ScratchUnwritable`. */
export class SortedFile {
  readonly #file = new TempFile();
  readonly #firstOfPage: bigint[] = [];
  readonly #page = new BigUint64Array(PAGE);
  length = 0;

  /** @param fill passes the numbers in order to its argument */
  constructor(fill: (put: (value: bigint) => void) => void) {
    const block = new BigUint64Array(BLOCK);
    let filled = 0;
    const flush = (): void => {
      this.#file.write(this.length * NUMBER_BYTES, bytesOf(block.subarray(0, filled)));
      this.length += filled;
      filled = 0;
    };
    fill((value) => {
      if (filled % PAGE === 0) this.#firstOfPage.push(value);
      block[filled++] = value;
      if (filled === BLOCK) flush();
    });
    flush();
  }

  /** Creates a file with the numbers of two others. */
  static merge(large: SortedFile, small: SortedFile): SortedFile {
    return new SortedFile((put) => {
      const others = small.#values();
      let other = others.next();
      for (const block of large.#blocks())
        for (const value of block) {
          for (; !other.done && other.value <= value; other = others.next()) put(other.value);
          put(value);
        }
      for (; !other.done; other = others.next()) put(other.value);
    });
  }

  has(value: bigint): boolean {
    const page = lastIndexUpTo(this.#firstOfPage, this.#firstOfPage.length, value);
    if (page < 0) return false;
    const bytesRead = this.#file.read(page * PAGE * NUMBER_BYTES, bytesOf(this.#page));
    return this.#page[lastIndexUpTo(this.#page, bytesRead / NUMBER_BYTES, value)] === value;
  }

  close(): void {
    this.#file.close();
  }

  *#values(): Generator<bigint, undefined> {
    for (const block of this.#blocks()) yield* block;
    return undefined;
  }

  *#blocks(): Generator<BigUint64Array> {
    const block = new BigUint64Array(BLOCK);
    for (let position = 0; position < this.length; position += BLOCK) {
      const bytesRead = this.#file.read(position * NUMBER_BYTES, bytesOf(block));
      yield block.subarray(0, bytesRead / NUMBER_BYTES);
    }
  }
}

const bytesOf = (numbers: BigUint64Array): Uint8Array => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Returns the index of the last of the first `length` sorted numbers that is not greater than `value`; -1 if all are greater. */
function lastIndexUpTo(numbers: ArrayLike<bigint>, length: number, value: bigint): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
