import type { Crcs, Digests } from './digests.js';

/**
 * Checksums that stores verify, keep and return, for parts and for objects. Values are written as in S3: base64, the highest byte
 * first.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
 */
export type ChecksumName = 'CRC32' | 'CRC32C' | 'CRC64NVME';

/** All checksums, the cheapest first. If a store returns several, the first one is compared. */
export const CHECKSUMS: readonly ChecksumName[] = ['CRC32', 'CRC32C', 'CRC64NVME'];

/** Checksums, and `MD5` in hexadecimal digits as in an ETag. */
export type DigestName = ChecksumName | 'MD5';

/** A checksum and its kind. */
export interface Checksum {
  name: ChecksumName;
  value: string;
}

/** A checksum over bytes that arrive in pieces. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  value(): string;
}

/** Returns the header that carries a checksum. */
export const checksumHeader = (name: ChecksumName): string => HEADERS[name];

const HEADERS = {
  CRC32: 'x-amz-checksum-crc32',
  CRC32C: 'x-amz-checksum-crc32c',
  CRC64NVME: 'x-amz-checksum-crc64nvme',
} as const satisfies Record<ChecksumName, string>;

/** Starts a checksum. */
export function runningChecksum(crcs: Crcs, name: ChecksumName): RunningChecksum {
  if (name === 'CRC64NVME') {
    const crc = crcs.crc64nvme();
    return { update: (bytes) => crc.update(bytes), value: () => toBase64(crc.digest()) };
  }
  const step = name === 'CRC32' ? crcs.crc32 : crcs.crc32c;
  let crc = 0;
  return { update: (bytes) => void (crc = step(bytes, crc)), value: () => wordToBase64(crc) };
}

/** Computes the checksum of bytes in memory. */
export function checksumOf(digests: Digests, name: ChecksumName, bytes: Uint8Array): string {
  // Nearly every small file uses CRC32; this avoids an object for it.
  if (name === 'CRC32') return wordToBase64(digests.crc32(bytes));
  const running = runningChecksum(digests, name);
  running.update(bytes);
  return running.value();
}

export { joinChecksums } from '../../protocol/checksums/multipart-checksums.js';

/** Returns a composite checksum: the checksum of the checksums of the parts, and their number. Older stores know only these. */
export function compositeChecksum(digests: Digests, name: ChecksumName, parts: readonly string[]): string {
  const running = runningChecksum(digests, name);
  for (const part of parts) running.update(Uint8Array.from(atob(part), (character) => character.charCodeAt(0)));
  return `${running.value()}-${parts.length}`;
}

const wordBytes = new Uint8Array(4);

function wordToBase64(crc: number): string {
  wordBytes[0] = crc >>> 24;
  wordBytes[1] = crc >>> 16;
  wordBytes[2] = crc >>> 8;
  wordBytes[3] = crc;
  return toBase64(wordBytes);
}

/** Encodes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
