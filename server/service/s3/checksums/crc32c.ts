import { crcTable } from './crc-table.js';

/** Castagnoli, reflected. */
export const CRC32C_POLYNOMIAL = 0x82f63b78n;

let table: Int32Array | undefined;

/** CRC-32C of `data`, continued from an earlier value. Slicing by eight. */
export function crc32c(data: Uint8Array, value = 0): number {
  const t = (table ??= crcTable(CRC32C_POLYNOMIAL).low);
  let crc = ~value;
  let at = 0;
  for (const end = data.length - 7; at < end; at += 8) {
    crc ^= data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    crc =
      t[1792 + (crc & 255)]! ^
      t[1536 + ((crc >>> 8) & 255)]! ^
      t[1280 + ((crc >>> 16) & 255)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + data[at + 4]!]! ^
      t[512 + data[at + 5]!]! ^
      t[256 + data[at + 6]!]! ^
      t[data[at + 7]!]!;
  }
  for (; at < data.length; at++) crc = t[(crc ^ data[at]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
