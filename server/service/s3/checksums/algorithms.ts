import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Hasher } from '../../storage/blobs.js';
import { CrcCombiner } from '../../../../src/protocol/checksums/combine-crc.js';
import { CRC32C_POLYNOMIAL, CRC32_POLYNOMIAL, crc32c } from '../../../../src/protocol/checksums/crc32.js';
import { CRC64NVME_POLYNOMIAL, Crc64Nvme } from '../../../../src/protocol/checksums/crc64nvme.js';

/** The additional checksums of S3. Spec: https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html */
export type ChecksumAlgorithm = 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256';
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

interface Algorithm {
  /** As S3 writes it in headers' values and, after `Checksum`, in XML. */
  name: string;
  bytes: number;
  hasher(): Hasher;
  /** Which forms a multipart object's checksum can take, the default first. */
  types: readonly [ChecksumType, ...ChecksumType[]];
  /** Of CRCs that can be joined without the bytes. */
  combiner?: () => CrcCombiner;
}

const word = (value: number): string => {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value >>> 0);
  return out.toString('base64');
};

const crcHasher = (step: (data: Uint8Array, value: number) => number): Hasher => {
  let value = 0;
  return {
    update: (chunk) => {
      // zlib answers 0 for an empty buffer, whatever came before it.
      if (chunk.length > 0) value = step(chunk, value);
    },
    digest: () => word(value),
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
    combiner: () => new CrcCombiner(32, CRC32_POLYNOMIAL),
  },
  crc32c: {
    name: 'CRC32C',
    bytes: 4,
    hasher: () => crcHasher(crc32c),
    types: ['COMPOSITE', 'FULL_OBJECT'],
    combiner: () => new CrcCombiner(32, CRC32C_POLYNOMIAL),
  },
  crc64nvme: {
    name: 'CRC64NVME',
    bytes: 8,
    hasher: crc64Hasher,
    types: ['FULL_OBJECT'],
    combiner: () => new CrcCombiner(64, CRC64NVME_POLYNOMIAL),
  },
  sha1: { name: 'SHA1', bytes: 20, hasher: () => shaHasher('sha1'), types: ['COMPOSITE'] },
  sha256: { name: 'SHA256', bytes: 32, hasher: () => shaHasher('sha256'), types: ['COMPOSITE'] },
};

export const ALGORITHM_NAMES = Object.keys(ALGORITHMS) as ChecksumAlgorithm[];

/** The algorithm a header or an element names (`CRC32C`), in any case; undefined when there is no such. */
export function algorithmNamed(name: string): ChecksumAlgorithm | undefined {
  const lower = name.toLowerCase();
  return ALGORITHM_NAMES.find((one) => one === lower);
}

/** Whether a stated value has the form of a checksum: base64 of the right number of bytes. */
export function isChecksum(algorithm: ChecksumAlgorithm, value: string): boolean {
  return (
    /^[A-Za-z0-9+/]+={0,2}$/.test(value) &&
    value.length % 4 === 0 &&
    Buffer.from(value, 'base64').length === ALGORITHMS[algorithm].bytes
  );
}

/** One part's checksum and its length in bytes. */
export interface PartChecksum {
  value: string;
  size: number;
}

/** The checksum of the checksums, `…-N`. */
export function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const hasher = ALGORITHMS[algorithm].hasher();
  for (const part of parts) hasher.update(Buffer.from(part.value, 'base64'));
  return `${hasher.digest()}-${parts.length}`;
}

/** The checksum of the whole from those of its parts; CRCs only. */
export function joinedChecksum(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const { combiner, bytes } = ALGORITHMS[algorithm];
  if (!combiner) throw new TypeError(`${algorithm} of a whole cannot be made from its parts`);
  const join = combiner();
  let whole = 0n;
  for (const part of parts)
    whole = join.combine(whole, BigInt(`0x${Buffer.from(part.value, 'base64').toString('hex')}`), part.size);
  return Buffer.from(whole.toString(16).padStart(bytes * 2, '0'), 'hex').toString('base64');
}
