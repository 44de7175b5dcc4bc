import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Hasher } from '../../storage/blob-storage.js';
import { joinChecksums } from '../../../../src/protocol/checksums/multipart-checksums.js';
import type { CombinableChecksum } from '../../../../src/protocol/checksums/multipart-checksums.js';
import { crc32c } from '../../../../src/protocol/checksums/crc32.js';
import { Crc64Nvme } from '../../../../src/protocol/checksums/crc64nvme.js';

/** The additional checksums of S3. Spec: https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html */
export type ChecksumAlgorithm = 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256';
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

interface Algorithm {
  /** The name in header values. XML elements are named `Checksum` plus this name. */
  name: string;
  bytes: number;
  hasher(): Hasher;
  /** Checksum types that a multipart object may have, the default first. */
  types: readonly [ChecksumType, ...ChecksumType[]];
}

const base64OfUint32 = (value: number): string => {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value >>> 0);
  return out.toString('base64');
};

const crcHasher = (step: (data: Uint8Array, value: number) => number): Hasher => {
  let value = 0;
  return {
    update: (chunk) => {
      // zlib returns 0 for an empty buffer, whatever the previous value was.
      if (chunk.length > 0) value = step(chunk, value);
    },
    digest: () => base64OfUint32(value),
  };
};

const shaHasher = (name: 'sha1' | 'sha256'): Hasher => {
  const hash = createHash(name);
  return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('base64') };
};

const crc64Hasher = (): Hasher => {
  const crc = new Crc64Nvme();
  return { update: (chunk) => crc.update(chunk), digest: () => Buffer.from(crc.digest()).toString('base64') };
};

export const ALGORITHMS: Readonly<Record<ChecksumAlgorithm, Algorithm>> = {
  crc32: {
    name: 'CRC32',
    bytes: 4,
    hasher: () => crcHasher((data, value) => crc32(data, value)),
    types: ['COMPOSITE', 'FULL_OBJECT'],
  },
  crc32c: {
    name: 'CRC32C',
    bytes: 4,
    hasher: () => crcHasher(crc32c),
    types: ['COMPOSITE', 'FULL_OBJECT'],
  },
  crc64nvme: {
    name: 'CRC64NVME',
    bytes: 8,
    hasher: crc64Hasher,
    types: ['FULL_OBJECT'],
  },
  sha1: { name: 'SHA1', bytes: 20, hasher: () => shaHasher('sha1'), types: ['COMPOSITE'] },
  sha256: { name: 'SHA256', bytes: 32, hasher: () => shaHasher('sha256'), types: ['COMPOSITE'] },
};

export const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as ChecksumAlgorithm[];

/** @param name case-insensitive, as in headers and XML. @returns undefined for an unknown algorithm. */
export function parseAlgorithm(name: string): ChecksumAlgorithm | undefined {
  const lower = name.toLowerCase();
  return ALGORITHM_NAMES.find((name) => name === lower);
}

/** Returns whether a value is base64 of as many bytes as the checksum has. */
export function isChecksum(algorithm: ChecksumAlgorithm, value: string): boolean {
  return (
    /^[A-Za-z0-9+/]+={0,2}$/.test(value) &&
    value.length % 4 === 0 &&
    Buffer.from(value, 'base64').length === ALGORITHMS[algorithm].bytes
  );
}

/** The checksum (base64) and size (bytes) of a part. */
export interface PartChecksum {
  value: string;
  size: number;
}

/** Computes the `COMPOSITE` checksum: the checksum of the part checksums, then `-` and the number of parts. */
export function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const hasher = ALGORITHMS[algorithm].hasher();
  for (const part of parts) hasher.update(Buffer.from(part.value, 'base64'));
  return `${hasher.digest()}-${parts.length}`;
}

/** Computes the `FULL_OBJECT` checksum from the checksums of the parts. @throws TypeError for SHA algorithms. */
export function joinedChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  if (algorithm === 'sha1' || algorithm === 'sha256') throw new TypeError(`${algorithm} checksums of parts cannot be combined`);
  const name = algorithm.toUpperCase() as CombinableChecksum;
  return joinChecksums(
    name,
    parts.map(({ value: checksum, size }) => ({ checksum, size })),
  );
}
