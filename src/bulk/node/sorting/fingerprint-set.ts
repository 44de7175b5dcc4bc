import { SortedFile } from './sorted-file.js';

/** Numbers in the table. At most half of the table is used, so it takes 8 MiB. */
const MAX_IN_MEMORY = 512 * 1024;

/**
 * A set of 64-bit numbers, none of them 0, in bounded memory. Beyond half a million numbers they are moved to sorted temporary files
 * of eight bytes each. A search reads 4 KiB of every file. Files of similar size are merged, so that they are few and each number is
 * written only a few times.
 */
export class FingerprintSet {
  /** A hash table with open addressing. 0 marks a free slot. */
  #table = new BigUint64Array(1024);
  /** Numbers in the table. */
  #count = 0;
  /** The larger files first. */
  readonly #files: SortedFile[] = [];

  constructor(private readonly limit = MAX_IN_MEMORY) {}

  get isEmpty(): boolean {
    return this.#count === 0 && this.#files.length === 0;
  }

  /** @throws S3Error `ScratchUnwritable` */
  has(value: bigint): boolean {
    return this.#table[this.#slotOf(value)] === value || this.#files.some((file) => file.has(value));
  }

  /** @returns whether the number is new @throws S3Error `ScratchUnwritable` */
  add(value: bigint): boolean {
    if (this.has(value)) return false;
    this.addUnlessInMemory(value);
    return true;
  }

  /** Adds a number without a search on disk, so that a file may contain it again. @throws S3Error `ScratchUnwritable` */
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
    for (const file of this.#files) file.close();
  }

  /** Returns the slot that has a number, or the free slot in which it belongs. */
  #slotOf(value: bigint): number {
    const mask = this.#table.length - 1;
    let slot = Number(value & BigInt(mask));
    while (this.#table[slot] !== 0n && this.#table[slot] !== value) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new BigUint64Array(old.length * 2);
    for (const value of old) if (value !== 0n) this.#table[this.#slotOf(value)] = value;
  }

  /** Moves the table to a file and merges the last files while they are of similar size. */
  #spill(): void {
    // Sorted in place. Free slots, which are 0, come first.
    const values = this.#table.sort().subarray(-this.#count);
    this.#files.push(new SortedFile((put) => values.forEach((value) => put(value))));
    for (;;) {
      const [large, small] = this.#files.slice(-2);
      if (small === undefined || large!.length > small.length * 2) break;
      this.#files.splice(-2, 2, SortedFile.merge(large!, small));
      large!.close();
      small.close();
    }
    this.#table.fill(0n);
    this.#count = 0;
  }
}
