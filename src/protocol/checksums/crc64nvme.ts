import { createCrcTable } from './crc-table.js';
import type { CrcTable } from './crc-table.js';

/** NVM Express, reflected. */
export const CRC64NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;

let table: CrcTable | undefined;

/** As `Folding` has it. */
interface Shorter {
  shorten(bytes: Uint8Array, low: number, high: number): { taken: number; short: Uint8Array } | undefined;
}

/** CRC-64/NVME that takes chunks; two 32-bit halves, because BigInt is a hundred times slower. */
export class Crc64Nvme {
  #low = -1;
  #high = -1;

  /** @param shorter does most of the work where there is much */
  constructor(private readonly shorter?: Shorter) {}

  update(bytes: Uint8Array): void {
    let rest = bytes;
    for (let part; (part = this.shorter?.shorten(rest, this.#low, this.#high)) !== undefined; rest = rest.subarray(part.taken)) {
      this.#low = 0;
      this.#high = 0;
      this.#take(part.short);
    }
    this.#take(rest);
  }

  #take(bytes: Uint8Array): void {
    const { low, high } = (table ??= createCrcTable(CRC64NVME_POLYNOMIAL));
    let l = this.#low;
    let h = this.#high;
    let at = 0;
    for (const end = bytes.length - 7; at < end; at += 8) {
      l ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      h ^= bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24);
      const a = 1792 + (l & 255);
      const b = 1536 + ((l >>> 8) & 255);
      const c = 1280 + ((l >>> 16) & 255);
      const d = 1024 + (l >>> 24);
      const e = 768 + (h & 255);
      const f = 512 + ((h >>> 8) & 255);
      const g = 256 + ((h >>> 16) & 255);
      const i = h >>> 24;
      l = low[a]! ^ low[b]! ^ low[c]! ^ low[d]! ^ low[e]! ^ low[f]! ^ low[g]! ^ low[i]!;
      h = high[a]! ^ high[b]! ^ high[c]! ^ high[d]! ^ high[e]! ^ high[f]! ^ high[g]! ^ high[i]!;
    }
    for (; at < bytes.length; at++) {
      const entry = (l ^ bytes[at]!) & 255;
      l = ((l >>> 8) | (h << 24)) ^ low[entry]!;
      h = (h >>> 8) ^ high[entry]!;
    }
    this.#low = l;
    this.#high = h;
  }

  /** Eight bytes, the highest first. */
  digest(): Uint8Array {
    const out = new DataView(new ArrayBuffer(8));
    out.setInt32(0, ~this.#high);
    out.setInt32(4, ~this.#low);
    return new Uint8Array(out.buffer);
  }
}
