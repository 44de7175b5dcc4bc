import type { WorkBudget } from './work-budget.js';

/** Exif is a TIFF file of tags. Its GPS directory is emptied in place. Nothing else moves, so all offsets stay valid. */

/** Tag that points to the GPS directory. https://exiftool.org/TagNames/EXIF.html */
const GPS_TAG = 0x8825;
/** Bytes of one entry of a directory. */
const ENTRY_BYTES = 12;
/** Bytes that each block takes from the work budget, even if it is empty. */
const BLOCK_COST = 64;
/** Bytes of one value by its type: byte, ascii, short, long, rational, sbyte, undefined, sshort, slong, srational, float, double. */
const VALUE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

/**
 * Removes GPS directories from a TIFF block.
 *
 * @param bytes the block
 * @returns whether the block had a GPS directory
 * @throws RangeError if the work exceeds the budget
 */
export function clearGps(bytes: Uint8Array, budget: WorkBudget): boolean {
  budget.spend(BLOCK_COST);
  if (bytes.length < 8) return false;
  const block = new TiffBlock(bytes, budget);
  let found = false;
  // Directories form a chain: the first describes the image, the second its thumbnail. In broken files the chain is a circle.
  const seen = new Set<number>();
  let directory = block.long(4);
  while (block.isDirectory(directory) && !seen.has(directory)) {
    seen.add(directory);
    budget.spend(ENTRY_BYTES * (block.count(directory) + 1));
    for (let index = 0; index < block.count(directory); index++) {
      const entry = directory + 2 + index * ENTRY_BYTES;
      if (block.short(entry) !== GPS_TAG) continue;
      const gps = block.long(entry + 8);
      if (block.isDirectory(gps)) block.erase(gps);
      block.removeEntry(directory, index);
      index -= 1;
      found = true;
    }
    directory = block.next(directory);
  }
  return found;
}

/** Reads and changes the directories of one TIFF block. Offsets count from the start of the block. */
class TiffBlock {
  readonly #view: DataView;
  readonly #isLittleEndian: boolean;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly budget: WorkBudget,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#isLittleEndian = bytes[0] === 0x49;
  }

  short(offset: number): number {
    return this.#view.getUint16(offset, this.#isLittleEndian);
  }
  long(offset: number): number {
    return this.#view.getUint32(offset, this.#isLittleEndian);
  }
  count(directory: number): number {
    return this.short(directory);
  }
  /** Returns the offset of the directory that follows; 0 if there is none. */
  next(directory: number): number {
    return this.long(directory + 2 + this.count(directory) * ENTRY_BYTES);
  }

  /** Returns whether a directory at this offset lies inside the block. */
  isDirectory(offset: number): boolean {
    const { length } = this.bytes;
    return offset >= 8 && offset + 6 <= length && offset + 2 + this.count(offset) * ENTRY_BYTES + 4 <= length;
  }

  /** Overwrites a directory and the values it points to with zeros. */
  erase(directory: number): void {
    const count = this.count(directory);
    this.budget.spend(ENTRY_BYTES * (count + 1));
    for (let index = 0; index < count; index++) {
      const entry = directory + 2 + index * ENTRY_BYTES;
      const size = (VALUE_BYTES[this.short(entry + 2)] ?? 0) * this.long(entry + 4);
      const value = this.long(entry + 8);
      // Values of up to 4 bytes stand in the entry itself.
      if (size <= 4 || value < 8 || value + size > this.bytes.length) continue;
      this.budget.spend(size);
      this.bytes.fill(0, value, value + size);
    }
    this.bytes.fill(0, directory, directory + 2 + count * ENTRY_BYTES + 4);
  }

  /** Removes an entry and moves all later entries up, with the pointer to the next directory. */
  removeEntry(directory: number, index: number): void {
    const count = this.count(directory);
    const end = directory + 2 + count * ENTRY_BYTES + 4;
    const entry = directory + 2 + index * ENTRY_BYTES;
    this.budget.spend(end - entry);
    this.bytes.copyWithin(entry, entry + ENTRY_BYTES, end);
    this.bytes.fill(0, end - ENTRY_BYTES, end);
    this.#view.setUint16(directory, count - 1, this.#isLittleEndian);
  }
}
