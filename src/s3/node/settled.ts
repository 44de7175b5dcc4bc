import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';

const RECORD = 8;
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

  constructor(path: string) {
    this.#fd = openSync(path, 'a+', 0o600);
    const bytes = fstatSync(this.#fd).size;
    const whole = bytes - (bytes % RECORD);
    // What a cut left of a record is filled up, so that the next one begins where a record begins.
    if (whole !== bytes) writeSync(this.#fd, new Uint8Array(RECORD - (bytes % RECORD)));
    const block = new BigUint64Array(64 * 1024);
    const view = new Uint8Array(block.buffer);
    for (let at = 0; at < whole;) {
      const read = readSync(this.#fd, view, 0, Math.min(view.length, whole - at), at);
      if (read === 0) break;
      for (let i = 0; i < Math.floor(read / RECORD); i++) this.#insert(block[i]!);
      at += read;
    }
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

  close(): void {
    this.flush();
    closeSync(this.#fd);
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

/** Two different fingerprints among ten million share one with a chance of one in four hundred thousand. */
function hash64(text: string): bigint {
  const value = createHash('sha1').update(text).digest().readBigUInt64LE(0);
  return value === 0n ? 1n : value;
}
