import type { WorkBudget } from './work-budget.js';

/** Exif is a TIFF file of tags. Here its GPS directory is emptied in place: nothing moves, so nothing that points there breaks. */

/** Tag of the directory of places. https://exiftool.org/TagNames/EXIF.html */
const GPS = 0x8825;
const ENTRY = 12;
/** Bytes of work that every block costs, however little is in it. */
const BLOCK = 64;
/** Bytes of one value by its type: byte, ascii, short, long, rational, sbyte, undefined, sshort, slong, srational, float, double. */
const VALUE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

/** Removes the place from the TIFF block that `bytes` is. @returns whether there was one @throws RangeError beyond the budget */
export function clearGps(bytes: Uint8Array, budget: WorkBudget): boolean {
  budget.spend(BLOCK);
  if (bytes.length < 8) return false;
  const block = new Block(bytes, budget);
  let found = false;
  // A directory may lead to the next: the first describes the picture, the second its thumbnail. Broken files lead in circles.
  const seen = new Set<number>();
  for (let at = block.long(4); block.isDirectory(at) && !seen.has(at); at = block.next(at)) {
    seen.add(at);
    budget.spend(ENTRY * (block.count(at) + 1));
    for (let index = 0; index < block.count(at); index++) {
      const entry = at + 2 + index * ENTRY;
      if (block.short(entry) !== GPS) continue;
      const gps = block.long(entry + 8);
      if (block.isDirectory(gps)) block.erase(gps);
      block.removeEntry(at, index);
      index -= 1;
      found = true;
    }
  }
  return found;
}

class Block {
  readonly #view: DataView;
  readonly #little: boolean;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly budget: WorkBudget,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#little = bytes[0] === 0x49;
  }

  short(at: number): number {
    return this.#view.getUint16(at, this.#little);
  }
  long(at: number): number {
    return this.#view.getUint32(at, this.#little);
  }
  count(directory: number): number {
    return this.short(directory);
  }
  next(directory: number): number {
    return this.long(directory + 2 + this.count(directory) * ENTRY);
  }

  isDirectory(at: number): boolean {
    const { length } = this.bytes;
    return at >= 8 && at + 6 <= length && at + 2 + this.count(at) * ENTRY + 4 <= length;
  }

  /** Zeroes a directory and the values it points to. */
  erase(directory: number): void {
    const count = this.count(directory);
    this.budget.spend(ENTRY * (count + 1));
    for (let index = 0; index < count; index++) {
      const entry = directory + 2 + index * ENTRY;
      const size = (VALUE_BYTES[this.short(entry + 2)] ?? 0) * this.long(entry + 4);
      const at = this.long(entry + 8);
      if (size <= 4 || at < 8 || at + size > this.bytes.length) continue;
      this.budget.spend(size);
      this.bytes.fill(0, at, at + size);
    }
    this.bytes.fill(0, directory, directory + 2 + count * ENTRY + 4);
  }

  /** Closes the gap: what follows the entry, the pointer to the next directory included, moves up. */
  removeEntry(directory: number, index: number): void {
    const count = this.count(directory);
    const end = directory + 2 + count * ENTRY + 4;
    const entry = directory + 2 + index * ENTRY;
    this.budget.spend(end - entry);
    this.bytes.copyWithin(entry, entry + ENTRY, end);
    this.bytes.fill(0, end - ENTRY, end);
    this.#view.setUint16(directory, count - 1, this.#little);
  }
}
