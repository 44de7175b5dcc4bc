import type { TransferContext } from '../transfer/transfer-context.js';
import { runningChecksum } from '../s3/checksums.js';
import { fromHex } from '../s3/commands/body-checksums.js';
import { headObjectOnce, contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead, ContentDigest } from '../s3/commands/head-object.js';
import { getObject } from '../s3/commands/get-object.js';
import type { Digests } from '../s3/digests.js';
import { S3Error } from '../errors.js';
import { MULTIPART } from '../transfer/part-plan.js';
import type { TargetFile } from '../types.js';
import { hasMultipartEtag, PART_SIZE_METADATA } from '../multipart/part-digests.js';
import { readFully } from '../transfer/part-body.js';

/** Bytes that can be read again: a local file, or a download before it is committed. */
export interface ReadableBytes {
  size: number;
  read(position: number, into: Uint8Array): number | Promise<number>;
}

/** The size of an object's parts: as the store tells it, else as it was noted, which may be that of the object it was copied from. */
export async function findPartSize(
  context: TransferContext,
  bucket: string,
  key: string,
  facts: ObjectHead,
): Promise<number | undefined> {
  if (facts.parts === 1) return facts.size;
  const first = await context.executor.request(key, 0, () =>
    headObjectOnce(context.store, { bucket, key, partNumber: 1, signal: context.signal }),
  );
  // A store that ignores the question tells the whole.
  return [first?.partSize, Number(facts.metadata[PART_SIZE_METADATA])].find(
    (size) => size !== undefined && size > 0 && size <= MULTIPART.maxPart && Math.ceil(facts.size / size) === facts.parts,
  );
}

/** A digest with which an object's bytes can be compared. */
export type KnownDigest = ContentDigest | { kind: 'parts'; value: string; partSize: number };
/** The best that a store keeps of them. */
export type ExpectedDigest = KnownDigest | { kind: 'none' };

/** Finds out how an object's bytes can be checked; asks for the size of its parts where that is needed. */
export async function expectedDigest(
  context: TransferContext,
  bucket: string,
  key: string,
  facts: ObjectHead,
): Promise<ExpectedDigest> {
  const told = contentDigestOf(facts);
  if (told !== undefined) return told;
  if (!hasMultipartEtag(facts)) return { kind: 'none' };
  const partSize = await findPartSize(context, bucket, key, facts);
  return partSize === undefined ? { kind: 'none' } : { kind: 'parts', value: facts.etag, partSize };
}

const MiB = 1024 * 1024;

/**
 * Returns the digest to compute while the bytes arrive. If the store does not tell the part size, a usual one is guessed.
 * `matchesStore` checks again if the guess was wrong.
 */
export async function likelyDigest(
  context: TransferContext,
  bucket: string,
  key: string,
  facts: ObjectHead,
): Promise<ExpectedDigest> {
  const expected = await expectedDigest(context, bucket, key, facts);
  const partSize = expected.kind === 'none' && hasMultipartEtag(facts) ? usualPartSizes(facts)[0] : undefined;
  return partSize === undefined ? expected : { kind: 'parts', value: facts.etag, partSize };
}

/** Default part sizes of tools: AWS's, rclone's, ours (also for copies), those of SDKs and consoles. */
const USUAL_PART_SIZES = [8, 5, 16, 15, 64, 100, 10, 32, 50, 128, 256].map((size) => size * MiB);
/** Usual part sizes with which the object has the right number of parts. */
const usualPartSizes = ({ size, parts }: ObjectHead): number[] =>
  [...new Set([...USUAL_PART_SIZES, Math.ceil(size / parts / MiB) * MiB])].filter((one) => Math.ceil(size / one) === parts);

/**
 * Compares bytes with whatever a store keeps of them. Where it does not tell how large the parts were that its ETag is made of, the
 * usual sizes are tried: one that fits proves the bytes, and none proves nothing.
 * @returns whether that could be told. @throws S3Error `ChecksumMismatch`
 */
export async function matchesStore(
  context: TransferContext,
  bucket: string,
  key: string,
  facts: ObjectHead,
  source: ReadableBytes,
): Promise<boolean> {
  const expected = await expectedDigest(context, bucket, key, facts);
  if (expected.kind !== 'none' && (await matchesDigest(context, source, expected, key))) return true;
  if (await matchesUsualPartSize(context, key, facts, source)) return true;
  if (expected.kind !== 'none') throw checksumMismatch(key);
  return false;
}

/** Whether the ETag is that of the bytes in parts of a usual size. */
export async function matchesUsualPartSize(
  context: TransferContext,
  key: string,
  facts: ObjectHead,
  source: ReadableBytes,
): Promise<boolean> {
  if (facts.checksum !== undefined || !hasMultipartEtag(facts)) return false;
  for (const partSize of usualPartSizes(facts)) {
    if (await matchesDigest(context, source, { kind: 'parts', value: facts.etag, partSize }, key)) return true;
  }
  return false;
}

/** Computes the value to compare with a digest, over bytes in order. */
export function runningDigest(digests: Digests, expected: KnownDigest) {
  if (expected.kind === 'checksum') return runningChecksum(digests, expected.name);
  const whole = digests.md5();
  if (expected.kind === 'md5') return { update: (bytes: Uint8Array) => whole.update(bytes), value: () => whole.hex() };
  const { partSize } = expected;
  let [part, filled, count] = [digests.md5(), 0, 0];
  const close = (): void => {
    whole.update(fromHex(part.hex()));
    [part, filled, count] = [digests.md5(), 0, count + 1];
  };
  return {
    update(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.subarray(at, at + partSize - filled);
        part.update(piece);
        at += piece.length;
        filled += piece.length;
        if (filled === partSize) close();
      }
    },
    value(): string {
      if (filled > 0) close();
      return `${whole.hex()}-${count}`;
    },
  };
}

export const checksumMismatch = (key: string): S3Error =>
  new S3Error('ChecksumMismatch', `${key}: what arrived is not what the store has a checksum of.`);

const PIECE = MiB;

/** Whether the bytes are those of the expected. @throws S3Error when they cannot be read. */
export async function matchesDigest(
  context: TransferContext,
  source: ReadableBytes,
  expected: KnownDigest,
  name: string,
): Promise<boolean> {
  const hash = runningDigest(context.store.digests, expected);
  const buffer = await context.buffers.acquire(PIECE, context.signal);
  try {
    for (let at = 0; at < source.size; at += PIECE) {
      const piece = buffer.subarray(0, Math.min(PIECE, source.size - at));
      await readFully(source, at, piece, name);
      hash.update(piece);
    }
  } finally {
    context.buffers.release(buffer);
  }
  return hash.value() === expected.value;
}

/** The CRC32 of an object by reading all of it: what is left when a store tells nothing of its bytes. */
export function downloadCrc32(context: TransferContext, bucket: string, key: string, facts: ObjectHead): Promise<string> {
  return context.executor.request(key, facts.size, async () => {
    const running = runningChecksum(context.store.digests, 'CRC32');
    await getObject(context.store, {
      bucket,
      key,
      ifMatch: facts.etag,
      signal: context.signal,
      onData: (piece) => running.update(piece),
    });
    return running.value();
  });
}

/** Where nothing came along that tells the bytes: asks for what may, and counts the file where nothing does. */
export async function verifyDownload(
  context: TransferContext,
  bucket: string,
  key: string,
  facts: ObjectHead,
  file: TargetFile,
): Promise<void> {
  const source = file.read && { size: facts.size, read: file.read.bind(file) };
  if (source === undefined || !(await matchesStore(context, bucket, key, facts, source))) context.report.summary.unverified++;
}
