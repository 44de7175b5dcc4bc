import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash64 } from '../../journal/hash64.js';
import { FingerprintSet } from '../sorting/fingerprint-set.js';

/** A record is the 64-bit hash of a fingerprint. */
const RECORD_BYTES = 8;
/** Records of the last run that completed everything. The file has the name of earlier releases. */
const COMPLETE_FILE = 'settled.bin';
/** Records that later runs have appended. The file has the name of earlier releases. */
const PARTIAL_FILE = 'settled.next';
/** Records that are written at once. */
const BATCH_RECORDS = 512;

/**
 * The fingerprints of completed files, on disk with eight bytes each: ten million files take 80 MB. Records are appended. An
 * incomplete last record is ignored.
 */
export class CompletedFiles {
  readonly #complete = new FingerprintSet();
  readonly #partial = new FingerprintSet();
  #fd: number | undefined;
  #pending = new BigUint64Array(BATCH_RECORDS);
  #pendingSize = 0;

  /** Reads the records of earlier runs. @throws NodeJS.ErrnoException */
  constructor(private readonly folder: string) {
    load(join(folder, COMPLETE_FILE), this.#complete);
    load(join(folder, PARTIAL_FILE), this.#partial);
  }

  has(fingerprint: string): boolean {
    if (this.#complete.isEmpty && this.#partial.isEmpty) return false;
    const hash = hash64(fingerprint);
    return this.#complete.has(hash) || this.#partial.has(hash);
  }

  /**
   * Adds a fingerprint that this run does not look up. It is written once, even if several runs in a row fail partly.
   * @throws NodeJS.ErrnoException after which nothing more can be added
   */
  add(fingerprint: string): void {
    const hash = hash64(fingerprint);
    if (!this.#partial.isEmpty && this.#partial.has(hash)) return;
    this.#pending[this.#pendingSize++] = hash;
    if (this.#pendingSize === BATCH_RECORDS) this.flush();
  }

  /** Writes the collected records. @throws NodeJS.ErrnoException */
  flush(): void {
    const batch = new Uint8Array(this.#pending.buffer, 0, this.#pendingSize * RECORD_BYTES);
    this.#pendingSize = 0;
    if (batch.length > 0) writeFileSync((this.#fd ??= this.#openForAppend()), batch);
  }

  /** @param isComplete this run has added and flushed every valid fingerprint; older ones are forgotten */
  close(isComplete: boolean): void {
    this.#complete.close();
    this.#partial.close();
    if (isComplete) this.#fd ??= this.#openForAppend();
    if (this.#fd !== undefined) closeSync(this.#fd);
    if (isComplete) renameSync(join(this.folder, PARTIAL_FILE), join(this.folder, COMPLETE_FILE));
  }

  /** Deletes the files. Called after `close`. */
  remove(): void {
    for (const name of [COMPLETE_FILE, PARTIAL_FILE]) rmSync(join(this.folder, name), { force: true });
  }

  #openForAppend(): number {
    const fd = openSync(join(this.folder, PARTIAL_FILE), 'a', 0o600);
    // An incomplete last record would shift all later ones.
    const size = fstatSync(fd).size;
    if (size % RECORD_BYTES !== 0) ftruncateSync(fd, size - (size % RECORD_BYTES));
    return fd;
  }
}

/** Adds the complete records of a file to a set. */
function load(path: string, into: FingerprintSet): void {
  if (!existsSync(path)) return;
  const fd = openSync(path, 'r');
  try {
    const size = fstatSync(fd).size;
    const end = size - (size % RECORD_BYTES);
    const block = new BigUint64Array(64 * 1024);
    const view = new Uint8Array(block.buffer);
    for (let position = 0; position < end;) {
      const read = readSync(fd, view, 0, Math.min(view.length, end - position), position);
      if (read === 0) break;
      for (let i = 0; i < Math.floor(read / RECORD_BYTES); i++) if (block[i] !== 0n) into.addUnlessInMemory(block[i]!);
      position += read;
    }
  } finally {
    closeSync(fd);
  }
}
