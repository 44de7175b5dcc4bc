import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';

/** More than SQLite's log holds between two checkpoints: so much the database may have to grow. */
const RESERVE_BYTES = 6 * 1024 * 1024;
/** Bytes of one write. Random, because some file systems store zeros without taking space. */
const WRITE_STEP = 256 * 1024;

/**
 * Disk space that SQLite gets when the disk is full. Without it the log can neither grow nor be copied into the database, so that nothing
 * could be deleted to make room.
 */
export class DiskReserve {
  readonly #path: string;
  #held = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get isReleased(): boolean {
    return this.#held === 0;
  }

  /** Takes as much of the space as the disk still has. */
  fill(): void {
    if (this.#held >= RESERVE_BYTES) return;
    try {
      const fd = openSync(this.#path, 'a', 0o600);
      try {
        this.#held = fstatSync(fd).size;
        if (this.#held >= RESERVE_BYTES) return;
        const bytes = randomBytes(WRITE_STEP);
        while (this.#held < RESERVE_BYTES)
          this.#held += writeSync(fd, bytes, 0, Math.min(WRITE_STEP, RESERVE_BYTES - this.#held));
      } finally {
        closeSync(fd);
      }
    } catch {
      // The disk is full, or about to fail: what is missing is taken later.
    }
  }

  release(): void {
    rmSync(this.#path, { force: true });
    this.#held = 0;
  }
}
