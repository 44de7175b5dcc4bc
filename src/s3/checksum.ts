/** CRC32 as S3 uses it (reflected, polynomial 0xEDB88320): where the platform has no native one, and to join parts. */

const POLYNOMIAL = 0xedb88320;
const LANES = 16;
let tables: Int32Array[] | undefined;

function makeTables(): Int32Array[] {
  const first = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    first[byte] = value;
  }
  const all = [first];
  for (let lane = 1; lane < LANES; lane++)
    all.push(first.map((_, byte) => (all[lane - 1]![byte]! >>> 8) ^ first[all[lane - 1]![byte]! & 255]!));
  return all;
}

/** CRC32 of `bytes`, going on from `seed` (the CRC32 of what came before). Sixteen bytes a step. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  tables ??= makeTables();
  const t = tables;
  let crc = ~seed;
  let i = 0;
  for (; i + LANES <= bytes.length; i += LANES) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    let next = t[15]![crc & 255]! ^ t[14]![(crc >>> 8) & 255]! ^ t[13]![(crc >>> 16) & 255]! ^ t[12]![crc >>> 24]!;
    for (let lane = 4; lane < LANES; lane++) next ^= t[15 - lane]![bytes[i + lane]!]!;
    crc = next;
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ t[0]![(crc ^ bytes[i]!) & 255]!;
  return ~crc >>> 0;
}

/** Multiplies two polynomials over GF(2) modulo the CRC's. Bit 31 stands for x⁰. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

/** CRC32 of two pieces in a row from the CRC32 of each and the length of the second in bytes. */
export function joinCrc32(first: number, second: number, secondLength: number): number {
  // x^(8n) by squaring; in this notation x⁸ is bit 23.
  let shift = 0x80000000;
  let square = 0x00800000;
  for (let n = secondLength; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) shift = multiply(shift, square);
    square = multiply(square, square);
  }
  return (multiply(first, shift) ^ second) >>> 0;
}

const bytesOf = (crc: number): Uint8Array => new Uint8Array([crc >>> 24, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255]);

/** As S3 writes it in a header: base64 of the four bytes, the highest first. */
export const crcHeader = (crc: number): string => toBase64(bytesOf(crc));

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The object checksum of a store that knows only composite ones: the CRC32 of the parts' CRC32s, and their number. */
export function compositeCrc(parts: number[]): string {
  const all = new Uint8Array(parts.length * 4);
  parts.forEach((crc, index) => all.set(bytesOf(crc), index * 4));
  return `${crcHeader(crc32(all))}-${parts.length}`;
}
