/** Largest number of times that the bytes of an image are read. Real photos need less than one pass. */
const MAX_PASSES = 4;
/** Bytes that every image may take in addition. */
const BASE_BYTES = 1024 * 1024;

/**
 * Bounds the work on one image. A small malicious file can contain a hundred thousand blocks that point to the same directory.
 */
export class WorkBudget {
  #bytesLeft: number;

  /** @param size bytes of the image */
  constructor(size: number) {
    this.#bytesLeft = MAX_PASSES * size + BASE_BYTES;
  }

  /**
   * Takes bytes that are about to be read or written from the budget.
   *
   * @throws RangeError when the image takes more work than its size allows, because it is malformed
   */
  spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new RangeError('The image cannot be searched: its parts overlap.');
  }
}
