/**
 * Tables for computing a reflected CRC several bytes at a time. Entry `slice * 256 + byte` holds the CRC of `byte` followed by
 * `slice` zero bytes. The 64 bits of an entry are split in two halves. A 32-bit CRC uses only `low`.
 * @see https://create.stephan-brumme.com/crc32/#slicing-by-8-overview
 */
export interface CrcTable {
  low: Int32Array;
  high: Int32Array;
}

/** @param polynomial reflected. @param slices bytes that are processed in one step. */
export function createCrcTable(polynomial: bigint, slices = 8): CrcTable {
  const low = new Int32Array(slices * 256);
  const high = new Int32Array(slices * 256);
  const entries: bigint[] = [];
  for (let index = 0; index < slices * 256; index++) {
    const crc = index < 256 ? crcOfByte(index, polynomial) : appendZeroByte(entries[index - 256]!, entries);
    entries.push(crc);
    low[index] = Number(crc & 0xffff_ffffn) | 0;
    high[index] = Number(crc >> 32n) | 0;
  }
  return { low, high };
}

function crcOfByte(byte: number, polynomial: bigint): bigint {
  let crc = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
  return crc;
}

const appendZeroByte = (crc: bigint, entries: readonly bigint[]): bigint => (crc >> 8n) ^ entries[Number(crc & 0xffn)]!;
