/**
 * Assumed cost of a file, in bytes: small files are bound by their number. Measured stores move 160 to 250 KiB of a large file in the time
 * that one more file costs. On a slow line, a file costs less.
 */
const ASSUMED_COST = 192 * 1024;
/** Weight of the assumption, in files of one interval. A transfer of large files finishes fewer, so it cannot measure the cost of a file. */
const ASSUMED_FILES = 10;

/** The work of an interval between two looks at a transfer. */
export interface Interval {
  seconds: number;
  movedBytes: number;
  files: number;
}

/**
 * Measures what a file costs beside its bytes, in bytes that could be moved in the same time. Fits `seconds = a · bytes + b · files` by least
 * squares to all intervals and returns `b / a`. One more equation, `b = ASSUMED_COST · a`, decides while all intervals are alike.
 */
export class FileCost {
  #bytesBytes = (ASSUMED_COST * ASSUMED_FILES) ** 2;
  #bytesFiles = -ASSUMED_COST * ASSUMED_FILES ** 2;
  #filesFiles = ASSUMED_FILES ** 2;
  #bytesSeconds = 0;
  #filesSeconds = 0;

  add({ seconds, movedBytes, files }: Interval): void {
    this.#bytesBytes += movedBytes ** 2;
    this.#bytesFiles += movedBytes * files;
    this.#filesFiles += files ** 2;
    this.#bytesSeconds += movedBytes * seconds;
    this.#filesSeconds += files * seconds;
  }

  /** The cost of a file in bytes, at least 0. */
  get bytes(): number {
    // Cramer's rule. The common divisor of both is positive and cancels out.
    const secondsPerByte = this.#bytesSeconds * this.#filesFiles - this.#filesSeconds * this.#bytesFiles;
    const secondsPerFile = this.#filesSeconds * this.#bytesBytes - this.#bytesSeconds * this.#bytesFiles;
    return secondsPerByte > 0 ? Math.max(0, secondsPerFile / secondsPerByte) : ASSUMED_COST;
  }
}
