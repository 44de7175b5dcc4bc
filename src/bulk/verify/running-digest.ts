import { S3Error } from '../errors.js';
import { runningChecksum } from '../s3/checksums.js';
import { fromHex } from '../s3/commands/body-checksums.js';
import type { Digests } from '../s3/digests.js';
import { readFully } from '../transfer/part-body.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { KnownDigest } from './expected-digest.js';

/** Bytes that can be read again: a local file, or a download before it is committed. */
export interface ReadableBytes {
  size: number;
  read(position: number, into: Uint8Array): number | Promise<number>;
}

/** Computes a digest over bytes in order. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** Returns the digest in the form of `KnownDigest.value`. Called once. */
  value(): string;
}

/** Starts to compute a digest of the kind of `expected`. Its value is not used. */
export function runningDigest(digests: Digests, expected: KnownDigest): RunningDigest {
  if (expected.kind === 'checksum') return runningChecksum(digests, expected.name);
  if (expected.kind === 'parts') return runningPartsDigest(digests, expected.partSize);
  const md5 = digests.md5();
  return { update: (bytes) => md5.update(bytes), value: () => md5.hex() };
}

/** Computes the ETag of a multipart upload: the MD5 of the MD5s of its parts, and their number. */
function runningPartsDigest(digests: Digests, partSize: number): RunningDigest {
  const md5OfParts = digests.md5();
  let part = digests.md5();
  let filled = 0;
  let count = 0;
  const endPart = (): void => {
    md5OfParts.update(fromHex(part.hex()));
    part = digests.md5();
    filled = 0;
    count++;
  };
  return {
    update(bytes) {
      for (let position = 0; position < bytes.length;) {
        const piece = bytes.subarray(position, position + partSize - filled);
        part.update(piece);
        position += piece.length;
        filled += piece.length;
        if (filled === partSize) endPart();
      }
    },
    value() {
      if (filled > 0) endPart();
      return `${md5OfParts.hex()}-${count}`;
    },
  };
}

const PIECE = 1024 * 1024;

/** Reads bytes and tells whether they have the expected digest. @throws S3Error if they cannot be read */
export async function matchesDigest(
  context: TransferContext,
  source: ReadableBytes,
  expected: KnownDigest,
  name: string,
): Promise<boolean> {
  const running = runningDigest(context.store.digests, expected);
  const buffer = await context.buffers.acquire(PIECE, context.signal);
  try {
    for (let position = 0; position < source.size; position += PIECE) {
      const piece = buffer.subarray(0, Math.min(PIECE, source.size - position));
      await readFully(source, position, piece, name);
      running.update(piece);
    }
  } finally {
    context.buffers.release(buffer);
  }
  return running.value() === expected.value;
}

/** Creates the error for bytes that do not have the expected digest. */
export const checksumMismatch = (key: string): S3Error =>
  new S3Error('ChecksumMismatch', `${key}: the received bytes do not match the checksum that the store keeps.`);
