import { hasMultipartEtag, PART_SIZE_METADATA } from '../multipart/part-digests.js';
import { contentDigestOf, headObjectOnce } from '../s3/commands/head-object.js';
import type { ContentDigest, ObjectHead } from '../s3/commands/head-object.js';
import { MULTIPART } from '../transfer/part-plan.js';
import type { TransferContext } from '../transfer/transfer-context.js';

/** A digest with which the bytes of an object can be compared. With `parts`, `value` is an ETag made of the MD5s of the parts. */
export type KnownDigest = ContentDigest | { kind: 'parts'; value: string; partSize: number };
/** The strongest digest that a store keeps of an object. */
export type ExpectedDigest = KnownDigest | { kind: 'none' };

/** Returns the digest that an object must match. It requests the size of the parts if that is needed. */
export async function expectedDigest(
  context: TransferContext,
  bucket: string,
  key: string,
  head: ObjectHead,
): Promise<ExpectedDigest> {
  const digest = contentDigestOf(head);
  if (digest !== undefined) return digest;
  if (!hasMultipartEtag(head)) return { kind: 'none' };
  const partSize = await findPartSize(context, bucket, key, head);
  return partSize === undefined ? { kind: 'none' } : { kind: 'parts', value: head.etag, partSize };
}

/**
 * Returns the digest to compute while the bytes arrive. If the store does not tell the part size, a usual one is guessed.
 * `verifyDownload` compares again if the guess was wrong.
 */
export async function likelyDigest(
  context: TransferContext,
  bucket: string,
  key: string,
  head: ObjectHead,
): Promise<ExpectedDigest> {
  const expected = await expectedDigest(context, bucket, key, head);
  const partSize = expected.kind === 'none' && hasMultipartEtag(head) ? usualPartSizes(head)[0] : undefined;
  return partSize === undefined ? expected : { kind: 'parts', value: head.etag, partSize };
}

/**
 * Returns the size of an object's parts: as the store tells it, else as the upload recorded it in the metadata. A copy may have the
 * metadata of its source and other parts, so the size must fit the number of parts.
 */
export async function findPartSize(
  context: TransferContext,
  bucket: string,
  key: string,
  head: ObjectHead,
): Promise<number | undefined> {
  const { metadata, parts, size } = head;
  if (parts === 1) return size;
  const firstPart = await context.executor.request(key, 0, () =>
    headObjectOnce(context.store, { bucket, key, partNumber: 1, signal: context.signal }),
  );
  // A store that ignores the part number returns the size of the object, which does not fit.
  return [firstPart?.partSize, Number(metadata[PART_SIZE_METADATA])].find(
    (partSize) => partSize !== undefined && partSize > 0 && partSize <= MULTIPART.maxPart && Math.ceil(size / partSize) === parts,
  );
}

const MiB = 1024 * 1024;

/** Default part sizes of tools: AWS's, rclone's, ours (also for copies), those of SDKs and consoles. */
const USUAL_PART_SIZES = [8, 5, 16, 15, 64, 100, 10, 32, 50, 128, 256].map((size) => size * MiB);

/** Returns the usual part sizes that give the object its number of parts. */
export function usualPartSizes({ size, parts }: ObjectHead): number[] {
  const wholeMiB = Math.ceil(size / parts / MiB) * MiB;
  return [...new Set([...USUAL_PART_SIZES, wholeMiB])].filter((partSize) => Math.ceil(size / partSize) === parts);
}
