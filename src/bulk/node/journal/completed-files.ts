import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash64 } from '../../journal/hash64.js';
import { FingerprintSet } from '../sorting/fingerprint-set.js';

const RECORD_BYTES = 8;
const COMPLETE_FILE = 'settled.bin';
const PARTIAL_FILE = 'settled.next';
/** Records gathered before they are written. */
const BATCH_RECORDS = 512;

/**
 * A set of fingerprints in eight bytes each, on disk as one appended record a fingerprint: ten million files take 80 MB there. A torn
 * last record is as good as none.
 */
export class CompletedFiles {
  /** Those of the last run that was whole, and those noted since. */
  readonly #complete = new FingerprintSet();
  readonly #partial = new FingerprintSet();
  #fd: number | undefined;
  #pending = new BigUint64Array(BATCH_RECORDS);
  #pendingSize = 0;

  /** Reads what earlier runs left in `folder`: the last that was whole, and those that were cut short after it. */
  constructor(private readonly folder: string) {
    load(join(folder, COMPLETE_FILE), this.#complete);
    load(join(folder, PARTIAL_FILE), this.#partial);
  }

  has(fingerprint: string): boolean {
    if (this.#complete.isEmpty && this.#partial.isEmpty) return false;
    const print = hash64(fingerprint);
    return this.#complete.has(print) || this.#partial.has(print);
  }

  /**
   * Not searched again in this run, and so only written: once, however many runs after one another have something that fails.
   * @throws NodeJS.ErrnoException, and then nothing more can be added
   */
  add(fingerprint: string): void {
    const print = hash64(fingerprint);
    if (!this.#partial.isEmpty && this.#partial.has(print)) return;
    this.#pending[this.#pendingSize++] = print;
    if (this.#pendingSize === BATCH_RECORDS) this.flush();
  }

  flush(): void {
    const batch = new Uint8Array(this.#pending.buffer, 0, this.#pendingSize * RECORD_BYTES);
    this.#pendingSize = 0;
    if (batch.length > 0) writeFileSync((this.#fd ??= this.#append()), batch);
  }

  /** @param whole every fingerprint that still holds was settled, and flushed, in this run: older ones are forgotten. */
  close(whole: boolean): void {
    this.#complete.close();
    this.#partial.close();
    if (whole) this.#fd ??= this.#append();
    if (this.#fd !== undefined) closeSync(this.#fd);
    if (whole) renameSync(join(this.folder, PARTIAL_FILE), join(this.folder, COMPLETE_FILE));
  }

  /** After `close`. */
  remove(): void {
    for (const name of [COMPLETE_FILE, PARTIAL_FILE]) rmSync(join(this.folder, name), { force: true });
  }

  #append(): number {
    const fd = openSync(join(this.folder, PARTIAL_FILE), 'a', 0o600);
    // What a cut left of a record goes, so that the next one begins where a record begins.
    const bytes = fstatSync(fd).size;
    if (bytes % RECORD_BYTES !== 0) ftruncateSync(fd, bytes - (bytes % RECORD_BYTES));
    return fd;
  }
}

function load(path: string, into: FingerprintSet): void {
  if (!existsSync(path)) return;
  const fd = openSync(path, 'r');
  try {
    const bytes = fstatSync(fd).size;
    const whole = bytes - (bytes % RECORD_BYTES);
    const block = new BigUint64Array(64 * 1024);
    const view = new Uint8Array(block.buffer);
    for (let at = 0; at < whole;) {
      const read = readSync(fd, view, 0, Math.min(view.length, whole - at), at);
      if (read === 0) break;
      for (let i = 0; i < Math.floor(read / RECORD_BYTES); i++) if (block[i] !== 0n) into.addUnlessInMemory(block[i]!);
      at += read;
    }
  } finally {
    closeSync(fd);
  }
}
