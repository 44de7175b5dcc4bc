import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

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

/**
 * Two rounds of multiply-and-mix over the text, as MurmurHash3 finishes. Two different fingerprints among ten million
 * share one with a chance of one in four hundred thousand.
 */
function hash64(text: string): bigint {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    high = (high << 13) | (high >>> 19);
    low = Math.imul(low ^ unit, 0x5f356495);
    low = (low << 15) | (low >>> 17);
  }
  high = mix(high ^ text.length ^ low);
  low = mix(low ^ high);
  pair[0] = low;
  pair[1] = high;
  return whole[0] || 1n;
}

const whole = new BigUint64Array(1);
const pair = new Uint32Array(whole.buffer);

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
