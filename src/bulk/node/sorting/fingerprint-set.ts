import { TempFile } from '../files/temp-file.js';

/** Held at once in a table, half of which is empty: 8 MiB. */
const MAX_IN_MEMORY = 512 * 1024;
/** Numbers read, or written, at once to be merged, whole pages of them; and read to be searched. */
const BLOCK = 64 * 1024;
const PAGE = 512;

/**
 * A set of 64-bit numbers, none of them 0, in bounded memory: beyond half a million, in sorted temporary files of eight bytes each, every
 * one of which costs a search one reading of 4 KiB. Files of like size are merged, so that they are few and nothing is written often.
 */
export class FingerprintSet {
  #table = new BigUint64Array(1024);
  /** In the table. */
  #count = 0;
  /** The larger ones first. */
  readonly #files: SortedFile[] = [];

  constructor(private readonly limit = MAX_IN_MEMORY) {}

  has(value: bigint): boolean {
    return this.#table[this.#slotOf(value)] === value || this.#files.some((one) => one.has(value));
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#files.length === 0;
  }

  /** @returns whether it is new. @throws S3Error `ScratchUnwritable` */
  add(value: bigint): boolean {
    if (this.has(value)) return false;
    this.addUnlessInMemory(value);
    return true;
  }

  /** Adds one without a search for it on disk. @throws S3Error `ScratchUnwritable` */
  addUnlessInMemory(value: bigint): void {
    let slot = this.#slotOf(value);
    if (this.#table[slot] === value) return;
    if (this.#count === this.limit || this.#count * 2 >= this.#table.length) {
      if (this.#count === this.limit) this.#spill();
      else this.#grow();
      slot = this.#slotOf(value);
    }
    this.#table[slot] = value;
    this.#count++;
  }

  close(): void {
    for (const one of this.#files) one.close();
  }

  /** Where a number is, or would be. */
  #slotOf(value: bigint): number {
    const mask = this.#table.length - 1;
    let at = Number(value & BigInt(mask));
    while (this.#table[at] !== 0n && this.#table[at] !== value) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new BigUint64Array(old.length * 2);
    for (const value of old) if (value !== 0n) this.#table[this.#slotOf(value)] = value;
  }

  #spill(): void {
    // In its place: those that are free sort to the front.
    const held = this.#table.sort().subarray(-this.#count);
    this.#files.push(
      new SortedFile((put) => {
        for (const value of held) put(value);
      }),
    );
    for (;;) {
      const [large, small] = this.#files.slice(-2);
      if (small === undefined || large!.length > small.length * 2) break;
      this.#files.splice(-2, 2, new SortedFile((put) => mergeInto(put, large!, small)));
      large!.close();
      small.close();
    }
    this.#table.fill(0n);
    this.#count = 0;
  }
}

/** Sorted numbers in a file, and in memory the first one of every page. */
class SortedFile {
  readonly #file = new TempFile();
  readonly #firstOfPage: bigint[] = [];
  length = 0;
  readonly #page = new BigUint64Array(PAGE);

  constructor(fill: (put: (value: bigint) => void) => void) {
    const block = new BigUint64Array(BLOCK);
    let filled = 0;
    const flush = (): void => {
      this.#file.write(this.length * 8, bytesOf(block.subarray(0, filled)));
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

  has(value: bigint): boolean {
    const page = lastIndexUpTo(this.#firstOfPage, this.#firstOfPage.length, value);
    if (page < 0) return false;
    const read = this.#file.read(page * PAGE * 8, bytesOf(this.#page)) >> 3;
    return this.#page[lastIndexUpTo(this.#page, read, value)] === value;
  }

  *blocks(): Generator<BigUint64Array> {
    const block = new BigUint64Array(BLOCK);
    for (let at = 0; at < this.length; at += BLOCK) {
      const read = this.#file.read(at * 8, bytesOf(block)) >> 3;
      yield block.subarray(0, read);
    }
  }

  close(): void {
    this.#file.close();
  }
}

function mergeInto(put: (value: bigint) => void, large: SortedFile, small: SortedFile): void {
  const blocks = small.blocks();
  let block: BigUint64Array = EMPTY_BLOCK;
  let at = 0;
  /** Puts all of the smaller one that are not greater. */
  const upTo = (value: bigint): void => {
    for (;;) {
      while (at < block.length && block[at]! <= value) put(block[at++]!);
      if (at < block.length) return;
      const next = blocks.next();
      if (next.done) return;
      [block, at] = [next.value, 0];
    }
  };
  for (const one of large.blocks())
    for (const value of one) {
      upTo(value);
      put(value);
    }
  upTo(MAX_VALUE);
}

const MAX_VALUE = 2n ** 64n - 1n;
const EMPTY_BLOCK = new BigUint64Array(0);
const bytesOf = (numbers: BigUint64Array): Uint8Array => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Index of the last of the first `length` sorted numbers that is not greater; -1 when all are. */
function lastIndexUpTo(numbers: ArrayLike<bigint>, length: number, value: bigint): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
