/**
 * Reflected 64-bit CRC tables as pairs of 32-bit halves, for slicing by eight: entry `slice * 256 + byte`. A 32-bit CRC uses the
 * low halves alone.
 */
export interface CrcTable {
  low: Int32Array;
  high: Int32Array;
}

/** @param polynomial reflected. */
export function createCrcTable(polynomial: bigint, slices = 8): CrcTable {
  const low = new Int32Array(slices * 256);
  const high = new Int32Array(slices * 256);
  const entries: bigint[] = [];
  for (let at = 0; at < slices * 256; at++) {
    let crc = at < 256 ? BigInt(at) : entries[at - 256]!;
    if (at < 256) for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ polynomial : crc >> 1n;
    else crc = (crc >> 8n) ^ entries[Number(crc & 0xffn)]!;
    entries.push(crc);
    low[at] = Number(crc & 0xffff_ffffn) | 0;
    high[at] = Number(crc >> 32n) | 0;
  }
  return { low, high };
}
