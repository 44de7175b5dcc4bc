import type { Crcs, Digests } from './digests.js';

/**
 * The checksums that a store verifies, keeps and tells, of parts and of the whole. Values are as S3 writes them: base64, the
 * highest byte first. Source: Amazon S3 user guide, "Checking object integrity".
 */
export type ChecksumName = 'CRC32' | 'CRC32C' | 'CRC64NVME';

/** The cheapest first: where a store tells several, that one is compared. */
export const CHECKSUMS: readonly ChecksumName[] = ['CRC32', 'CRC32C', 'CRC64NVME'];

/** `MD5`: in hexadecimal digits, as in an ETag. */
export type DigestName = ChecksumName | 'MD5';

export interface Checksum {
  name: ChecksumName;
  value: string;
}

/** A checksum fed piece by piece. */
export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  value(): string;
}

export const checksumHeader = (name: ChecksumName): string => HEADERS[name];

const HEADERS = {
  CRC32: 'x-amz-checksum-crc32',
  CRC32C: 'x-amz-checksum-crc32c',
  CRC64NVME: 'x-amz-checksum-crc64nvme',
} as const satisfies Record<ChecksumName, string>;

export function runningChecksum(crcs: Crcs, name: ChecksumName): RunningChecksum {
  if (name === 'CRC64NVME') {
    const crc = crcs.crc64nvme();
    return { update: (bytes) => crc.update(bytes), value: () => toBase64(crc.digest()) };
  }
  const step = name === 'CRC32' ? crcs.crc32 : crcs.crc32c;
  let crc = 0;
  return { update: (bytes) => void (crc = step(bytes, crc)), value: () => word(crc) };
}

export function checksumOf(digests: Digests, name: ChecksumName, bytes: Uint8Array): string {
  // Nearly every small file uses CRC32; this avoids an object for it.
  if (name === 'CRC32') return word(digests.crc32(bytes));
  const running = runningChecksum(digests, name);
  running.update(bytes);
  return running.value();
}

export { joinChecksums } from '../../protocol/checksums/multipart-checksums.js';

/** The object checksum of a store that knows only composite ones: that of the parts' checksums, and their number. */
export function compositeChecksum(digests: Digests, name: ChecksumName, parts: readonly string[]): string {
  const running = runningChecksum(digests, name);
  for (const part of parts) running.update(Uint8Array.from(atob(part), (character) => character.charCodeAt(0)));
  return `${running.value()}-${parts.length}`;
}

const scratch = new Uint8Array(4);

function word(crc: number): string {
  scratch[0] = crc >>> 24;
  scratch[1] = crc >>> 16;
  scratch[2] = crc >>> 8;
  scratch[3] = crc;
  return toBase64(scratch);
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
