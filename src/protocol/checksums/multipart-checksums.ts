import { CrcCombiner } from './combine-crc.js';
import { CRC32_POLYNOMIAL, CRC32C_POLYNOMIAL } from './crc32.js';
import { CRC64NVME_POLYNOMIAL } from './crc64nvme.js';

/** Checksums of parts that can be combined to the checksum of the whole object. */
export type CombinableChecksum = 'CRC32' | 'CRC32C' | 'CRC64NVME';

/** Bytes of each checksum. */
const BYTES: Record<CombinableChecksum, number> = { CRC32: 4, CRC32C: 4, CRC64NVME: 8 };

/** Each combiner remembers the length of a part, because most parts have the same length. */
const COMBINERS: Record<CombinableChecksum, CrcCombiner> = {
  CRC32: new CrcCombiner(32, CRC32_POLYNOMIAL),
  CRC32C: new CrcCombiner(32, CRC32C_POLYNOMIAL),
  CRC64NVME: new CrcCombiner(64, CRC64NVME_POLYNOMIAL),
};

/**
 * Computes the checksum of a whole object (`FULL_OBJECT`) from the checksums of its parts.
 * @param parts in order, with the checksum in base64 and the size in bytes
 * @returns base64
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
 */
export function joinChecksums(name: CombinableChecksum, parts: Iterable<{ checksum: string; size: number }>): string {
  let crc = 0n;
  for (const { checksum, size } of parts) crc = COMBINERS[name].combine(crc, fromBase64(checksum), size);
  return toBase64(crc, BYTES[name]);
}

/**
 * Computes the ETag of a multipart object: the MD5 of the MD5s of its parts, a dash and the number of parts.
 * @param md5 a new MD5 hash
 * @param etags ETags of the parts: 32 lower-case hex digits each
 */
export function multipartEtag(md5: { update(bytes: Uint8Array): unknown; hex(): string }, etags: readonly string[]): string {
  for (const etag of etags) md5.update(fromHex(etag));
  return `${md5.hex()}-${etags.length}`;
}

const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

function fromBase64(text: string): bigint {
  let value = 0n;
  for (const character of atob(text)) value = (value << 8n) | BigInt(character.charCodeAt(0));
  return value;
}

function toBase64(value: bigint, length: number): string {
  let text = '';
  for (let index = length - 1; index >= 0; index--) text += String.fromCharCode(Number((value >> BigInt(8 * index)) & 255n));
  return btoa(text);
}
