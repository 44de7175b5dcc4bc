import { createCrcTable } from './crc-table.js';

/** The polynomial of CRC-32 (ISO 3309, also used by zip and PNG), reflected. */
export const CRC32_POLYNOMIAL = 0xedb88320n;
/** The polynomial of CRC-32C (Castagnoli), reflected. */
export const CRC32C_POLYNOMIAL = 0x82f63b78n;

/** Computes the CRC of `bytes`. `seed` is the CRC of the preceding bytes. */
export type Crc32 = (bytes: Uint8Array, seed?: number) => number;

const BYTES_PER_STEP = 16;

/** Processes sixteen bytes in one step (slicing by 16): 1.2 GiB/s, ten times as much as one byte in one step. */
function createSlicedCrc(polynomial: bigint): Crc32 {
  let cachedTable: Int32Array | undefined;
  return (bytes, seed = 0) => {
    const table = (cachedTable ??= createCrcTable(polynomial, BYTES_PER_STEP).low);
    let crc = ~seed;
    let offset = 0;
    for (const end = bytes.length - BYTES_PER_STEP + 1; offset < end; offset += BYTES_PER_STEP) {
      crc ^= bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24);
      crc =
        table[3840 + (crc & 255)]! ^
        table[3584 + ((crc >>> 8) & 255)]! ^
        table[3328 + ((crc >>> 16) & 255)]! ^
        table[3072 + (crc >>> 24)]! ^
        table[2816 + bytes[offset + 4]!]! ^
        table[2560 + bytes[offset + 5]!]! ^
        table[2304 + bytes[offset + 6]!]! ^
        table[2048 + bytes[offset + 7]!]! ^
        table[1792 + bytes[offset + 8]!]! ^
        table[1536 + bytes[offset + 9]!]! ^
        table[1280 + bytes[offset + 10]!]! ^
        table[1024 + bytes[offset + 11]!]! ^
        table[768 + bytes[offset + 12]!]! ^
        table[512 + bytes[offset + 13]!]! ^
        table[256 + bytes[offset + 14]!]! ^
        table[bytes[offset + 15]!]!;
    }
    for (; offset < bytes.length; offset++) crc = table[(crc ^ bytes[offset]!) & 255]! ^ (crc >>> 8);
    return ~crc >>> 0;
  };
}

/** CRC-32 (ISO 3309). */
export const crc32: Crc32 = createSlicedCrc(CRC32_POLYNOMIAL);
/** CRC-32C (Castagnoli). */
export const crc32c: Crc32 = createSlicedCrc(CRC32C_POLYNOMIAL);
