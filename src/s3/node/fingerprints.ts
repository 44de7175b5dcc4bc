import { Scratch } from './scratch.js';

/** Held at once in a table, half of which is empty: 8 MiB. */
const HELD = 512 * 1024;
/** Numbers read, or written, at once to be merged, whole pages of them; and read to be searched. */
const BLOCK = 64 * 1024;
const PAGE = 512;

/**
 * A set of 64-bit numbers, none of them 0, in bounded memory: beyond half a million, in a sorted temporary file of eight bytes each, which
 * costs one reading of 4 KiB a search.
 */
export class Fingerprints {
  #table = new BigUint64Array(1024);
  /** In the table. */
  #held = 0;
  /** In all. */
  size = 0;
  #stored: Stored | undefined;

  constructor(private readonly limit = HELD) {}

  has(value: bigint): boolean {
    return this.#table[this.#slot(value)] === value || this.#stored?.has(value) === true;
  }

  /** @returns whether it is new. @throws S3Error `ScratchUnwritable` */
  add(value: bigint): boolean {
    if (this.has(value)) return false;
    if (this.#held === this.limit) this.#store();
    else if (this.#held * 2 >= this.#table.length) this.#grow();
    this.#table[this.#slot(value)] = value;
    this.#held++;
    this.size++;
    return true;
  }

  close(): void {
    this.#stored?.close();
  }

  /** Where a number is, or would be. */
  #slot(value: bigint): number {
    const mask = this.#table.length - 1;
    let at = Number(value & BigInt(mask));
    while (this.#table[at] !== 0n && this.#table[at] !== value) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new BigUint64Array(old.length * 2);
    for (const value of old) if (value !== 0n) this.#table[this.#slot(value)] = value;
  }

  #store(): void {
    // In its place: those that are free sort to the front.
    const held = this.#table.sort().subarray(-this.#held);
    const before = this.#stored;
    let next = 0;
    this.#stored = new Stored((put) => {
      for (const block of before?.blocks() ?? [])
        for (const value of block) {
          while (next < held.length && held[next]! < value) put(held[next++]!);
          put(value);
        }
      while (next < held.length) put(held[next++]!);
    });
    before?.close();
    this.#table.fill(0n);
    this.#held = 0;
  }
}

/** Sorted numbers in a file, and in memory the first one of every page. */
class Stored {
  readonly #scratch = new Scratch();
  readonly #firsts: bigint[] = [];
  #length = 0;
  readonly #page = new BigUint64Array(PAGE);

  constructor(fill: (put: (value: bigint) => void) => void) {
    const block = new BigUint64Array(BLOCK);
    let filled = 0;
    const flush = (): void => {
      this.#scratch.write(this.#length * 8, bytesOf(block.subarray(0, filled)));
      this.#length += filled;
      filled = 0;
    };
    fill((value) => {
      if (filled % PAGE === 0) this.#firsts.push(value);
      block[filled++] = value;
      if (filled === BLOCK) flush();
    });
    flush();
  }

  has(value: bigint): boolean {
    const page = lastUpTo(this.#firsts, this.#firsts.length, value);
    if (page < 0) return false;
    const read = this.#scratch.read(page * PAGE * 8, bytesOf(this.#page)) >> 3;
    return this.#page[lastUpTo(this.#page, read, value)] === value;
  }

  *blocks(): Generator<BigUint64Array> {
    const block = new BigUint64Array(BLOCK);
    for (let at = 0; at < this.#length; at += BLOCK) {
      const read = this.#scratch.read(at * 8, bytesOf(block)) >> 3;
      yield block.subarray(0, read);
    }
  }

  close(): void {
    this.#scratch.close();
  }
}

const bytesOf = (numbers: BigUint64Array): Uint8Array => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Index of the last of the first `length` sorted numbers that is not greater; -1 when all are. */
function lastUpTo(numbers: ArrayLike<bigint>, length: number, value: bigint): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
