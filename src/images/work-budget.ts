/** How often all bytes of a photo may be looked at, and bytes that every photo may take beside that. Real photos stay below one pass. */
const PASSES = 4;
const BASE = 1024 * 1024;

/**
 * Bounds the work on one photo. Photos come from anywhere, and a small one can hold a hundred thousand blocks that lead to the same
 * directory.
 */
export class WorkBudget {
  #left: number;

  /** @param size bytes of the photo */
  constructor(size: number) {
    this.#left = PASSES * size + BASE;
  }

  /**
   * @param bytes that are about to be read or written
   * @throws RangeError when the photo takes more work than its size allows: it is malformed
   */
  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new RangeError('The photo cannot be searched: its parts overlap.');
  }
}
