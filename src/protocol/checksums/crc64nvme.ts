import { createCrcTable } from './crc-table.js';
import type { CrcTable } from './crc-table.js';

/** The polynomial of CRC-64/NVME, reflected. */
export const CRC64NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;

let cachedTable: CrcTable | undefined;

/** Replaces many bytes by few with the same CRC. `Folding` of the bulk engine implements it with WebAssembly. */
interface ByteFolding {
  /**
   * @param low lower half of the CRC register. @param high upper half.
   * @returns the number of bytes taken, and the bytes that replace them and continue from a zero register; undefined if folding
   * gains nothing
   */
  shorten(bytes: Uint8Array, low: number, high: number): { taken: number; short: Uint8Array } | undefined;
}

/**
 * Computes CRC-64/NVME over chunks, eight bytes in one step. The register is split into two 32-bit halves, because BigInt would
 * be a hundred times slower.
 */
export class Crc64Nvme {
  #low = -1;
  #high = -1;

  /** @param folding speeds up large chunks */
  constructor(private readonly folding?: ByteFolding) {}

  update(bytes: Uint8Array): void {
    let rest = bytes;
    for (;;) {
      const folded = this.folding?.shorten(rest, this.#low, this.#high);
      if (folded === undefined) break;
      this.#low = 0;
      this.#high = 0;
      this.#updateByTable(folded.short);
      rest = rest.subarray(folded.taken);
    }
    this.#updateByTable(rest);
  }

  #updateByTable(bytes: Uint8Array): void {
    const { low, high } = (cachedTable ??= createCrcTable(CRC64NVME_POLYNOMIAL));
    let crcLow = this.#low;
    let crcHigh = this.#high;
    let offset = 0;
    for (const end = bytes.length - 7; offset < end; offset += 8) {
      crcLow ^= bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24);
      crcHigh ^= bytes[offset + 4]! | (bytes[offset + 5]! << 8) | (bytes[offset + 6]! << 16) | (bytes[offset + 7]! << 24);
      // Indexes of the eight bytes in their slices of the table.
      const a = 1792 + (crcLow & 255);
      const b = 1536 + ((crcLow >>> 8) & 255);
      const c = 1280 + ((crcLow >>> 16) & 255);
      const d = 1024 + (crcLow >>> 24);
      const e = 768 + (crcHigh & 255);
      const f = 512 + ((crcHigh >>> 8) & 255);
      const g = 256 + ((crcHigh >>> 16) & 255);
      const h = crcHigh >>> 24;
      crcLow = low[a]! ^ low[b]! ^ low[c]! ^ low[d]! ^ low[e]! ^ low[f]! ^ low[g]! ^ low[h]!;
      crcHigh = high[a]! ^ high[b]! ^ high[c]! ^ high[d]! ^ high[e]! ^ high[f]! ^ high[g]! ^ high[h]!;
    }
    for (; offset < bytes.length; offset++) {
      const index = (crcLow ^ bytes[offset]!) & 255;
      crcLow = ((crcLow >>> 8) | (crcHigh << 24)) ^ low[index]!;
      crcHigh = (crcHigh >>> 8) ^ high[index]!;
    }
    this.#low = crcLow;
    this.#high = crcHigh;
  }

  /** @returns the checksum in eight bytes, big-endian */
  digest(): Uint8Array {
    const view = new DataView(new ArrayBuffer(8));
    view.setInt32(0, ~this.#high);
    view.setInt32(4, ~this.#low);
    return new Uint8Array(view.buffer);
  }
}
