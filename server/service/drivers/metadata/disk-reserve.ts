import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';

/** Bytes of the reserve. SQLite's log contains less between two checkpoints, and the database may grow by as much. */
const RESERVE_BYTES = 6 * 1024 * 1024;
/** Bytes of one write. They are random, because some file systems store zeros without using space. */
const WRITE_STEP = 256 * 1024;

/**
 * Disk space that is released for SQLite when the disk is full. Without it SQLite could not write its log, so no file could be deleted to make
 * room.
 */
export class DiskReserve {
  readonly #path: string;
  #reservedBytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get isReleased(): boolean {
    return this.#reservedBytes === 0;
  }

  /** Fills the reserve as far as the disk has room. */
  fill(): void {
    if (this.#reservedBytes >= RESERVE_BYTES) return;
    try {
      const fd = openSync(this.#path, 'a', 0o600);
      try {
        this.#reservedBytes = fstatSync(fd).size;
        if (this.#reservedBytes >= RESERVE_BYTES) return;
        const bytes = randomBytes(WRITE_STEP);
        while (this.#reservedBytes < RESERVE_BYTES)
          this.#reservedBytes += writeSync(fd, bytes, 0, Math.min(WRITE_STEP, RESERVE_BYTES - this.#reservedBytes));
      } finally {
        closeSync(fd);
      }
    } catch {
      // The disk is full or failing. A later call fills the rest.
    }
  }

  release(): void {
    rmSync(this.#path, { force: true });
    this.#reservedBytes = 0;
  }
}
