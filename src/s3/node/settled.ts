import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hash64 } from '../hash64.js';

const RECORD = 8;
const WHOLE = 'settled.bin';
const NEXT = 'settled.next';
/** Records gathered before they are written. */
const BATCH = 512;

/**
 * A set of fingerprints in eight bytes each, on disk as one appended record a fingerprint: ten million files take 80 MB
 * there and 160 in memory. A torn last record is as good as none.
 */
export class Settled {
  #table: BigUint64Array<ArrayBuffer> = new BigUint64Array(1024);
  #size = 0;
  readonly #fd: number;
  #pending = new BigUint64Array(BATCH);
  #pendingSize = 0;

  /** Reads what earlier runs left in `folder`: the last that was whole, and those that were cut short after it. */
  constructor(private readonly folder: string) {
    for (const name of [WHOLE, NEXT]) if (existsSync(join(folder, name))) this.#load(join(folder, name));
    this.#fd = openSync(join(folder, NEXT), 'a', 0o600);
  }

  has(fingerprint: string): boolean {
    if (this.#size === 0) return false;
    const wanted = hash64(fingerprint);
    const mask = BigInt(this.#table.length - 1);
    for (let at = Number(wanted & mask); ; at = (at + 1) & Number(mask)) {
      if (this.#table[at] === wanted) return true;
      if (this.#table[at] === 0n) return false;
    }
  }

  /** Not searched again in this run, and so only written. */
  add(fingerprint: string): void {
    this.#pending[this.#pendingSize++] = hash64(fingerprint);
    if (this.#pendingSize === BATCH) this.flush();
  }

  flush(): void {
    if (this.#pendingSize > 0) writeSync(this.#fd, new Uint8Array(this.#pending.buffer, 0, this.#pendingSize * RECORD));
    this.#pendingSize = 0;
  }

  /** @param whole every fingerprint that still holds was settled in this run: older ones are forgotten. */
  close(whole: boolean): void {
    this.flush();
    closeSync(this.#fd);
    if (whole) renameSync(join(this.folder, NEXT), join(this.folder, WHOLE));
  }

  #load(path: string): void {
    const fd = openSync(path, 'r+');
    const bytes = fstatSync(fd).size;
    // What a cut left of a record goes, so that the next one begins where a record begins.
    const whole = bytes - (bytes % RECORD);
    if (whole !== bytes) ftruncateSync(fd, whole);
    const block = new BigUint64Array(64 * 1024);
    const view = new Uint8Array(block.buffer);
    for (let at = 0; at < whole;) {
      const read = readSync(fd, view, 0, Math.min(view.length, whole - at), at);
      if (read === 0) break;
      for (let i = 0; i < Math.floor(read / RECORD); i++) this.#insert(block[i]!);
      at += read;
    }
    closeSync(fd);
  }

  #insert(value: bigint): void {
    if (value === 0n) return;
    if (this.#size * 2 >= this.#table.length) this.#grow();
    const mask = this.#table.length - 1;
    let at = Number(value & BigInt(mask));
    while (this.#table[at] !== 0n) {
      if (this.#table[at] === value) return;
      at = (at + 1) & mask;
    }
    this.#table[at] = value;
    this.#size++;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new BigUint64Array(old.length * 2);
    this.#size = 0;
    for (const value of old) this.#insert(value);
  }
}
