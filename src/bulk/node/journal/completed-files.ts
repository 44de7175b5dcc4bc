import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash64 } from '../../journal/hash64.js';
import { Fingerprints } from '../sorting/fingerprints.js';

const RECORD = 8;
const WHOLE = 'settled.bin';
const NEXT = 'settled.next';
/** Records gathered before they are written. */
const BATCH = 512;

/**
 * A set of fingerprints in eight bytes each, on disk as one appended record a fingerprint: ten million files take 80 MB there. A torn
 * last record is as good as none.
 */
export class Settled {
  /** Those of the last run that was whole, and those noted since. */
  readonly #whole = new Fingerprints();
  readonly #next = new Fingerprints();
  #fd: number | undefined;
  #pending = new BigUint64Array(BATCH);
  #pendingSize = 0;

  /** Reads what earlier runs left in `folder`: the last that was whole, and those that were cut short after it. */
  constructor(private readonly folder: string) {
    load(join(folder, WHOLE), this.#whole);
    load(join(folder, NEXT), this.#next);
  }

  has(fingerprint: string): boolean {
    if (this.#whole.empty && this.#next.empty) return false;
    const print = hash64(fingerprint);
    return this.#whole.has(print) || this.#next.has(print);
  }

  /**
   * Not searched again in this run, and so only written: once, however many runs after one another have something that fails.
   * @throws NodeJS.ErrnoException, and then nothing more can be added
   */
  add(fingerprint: string): void {
    const print = hash64(fingerprint);
    if (!this.#next.empty && this.#next.has(print)) return;
    this.#pending[this.#pendingSize++] = print;
    if (this.#pendingSize === BATCH) this.flush();
  }

  flush(): void {
    const batch = new Uint8Array(this.#pending.buffer, 0, this.#pendingSize * RECORD);
    this.#pendingSize = 0;
    if (batch.length > 0) writeFileSync((this.#fd ??= this.#append()), batch);
  }

  /** @param whole every fingerprint that still holds was settled, and flushed, in this run: older ones are forgotten. */
  close(whole: boolean): void {
    this.#whole.close();
    this.#next.close();
    if (whole) this.#fd ??= this.#append();
    if (this.#fd !== undefined) closeSync(this.#fd);
    if (whole) renameSync(join(this.folder, NEXT), join(this.folder, WHOLE));
  }

  /** After `close`. */
  remove(): void {
    for (const name of [WHOLE, NEXT]) rmSync(join(this.folder, name), { force: true });
  }

  #append(): number {
    const fd = openSync(join(this.folder, NEXT), 'a', 0o600);
    // What a cut left of a record goes, so that the next one begins where a record begins.
    const bytes = fstatSync(fd).size;
    if (bytes % RECORD !== 0) ftruncateSync(fd, bytes - (bytes % RECORD));
    return fd;
  }
}

function load(path: string, into: Fingerprints): void {
  if (!existsSync(path)) return;
  const fd = openSync(path, 'r');
  try {
    const bytes = fstatSync(fd).size;
    const whole = bytes - (bytes % RECORD);
    const block = new BigUint64Array(64 * 1024);
    const view = new Uint8Array(block.buffer);
    for (let at = 0; at < whole;) {
      const read = readSync(fd, view, 0, Math.min(view.length, whole - at), at);
      if (read === 0) break;
      for (let i = 0; i < Math.floor(read / RECORD); i++) if (block[i] !== 0n) into.load(block[i]!);
      at += read;
    }
  } finally {
    closeSync(fd);
  }
}
