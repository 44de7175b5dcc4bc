import { hasMultipartEtag } from '../multipart/part-digests.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { TargetFile } from '../types.js';
import { expectedDigest, usualPartSizes } from './expected-digest.js';
import { checksumMismatch, matchesDigest } from './running-digest.js';
import type { ReadableBytes } from './running-digest.js';

/**
 * Verifies a downloaded file that nothing in the responses has verified: reads it and compares it with the digest of the object.
 * If the store keeps none, the file is counted as unverified.
 * @throws S3Error `ChecksumMismatch`
 */
export async function verifyDownload(
  context: TransferContext,
  bucket: string,
  key: string,
  head: ObjectHead,
  file: TargetFile,
): Promise<void> {
  const source = file.read && { size: head.size, read: file.read.bind(file) };
  const isVerified = source !== undefined && (await matchesStore(context, bucket, key, head, source));
  if (!isVerified) context.report.summary.unverified++;
}

/**
 * Compares bytes with the digest of an object. If the store does not tell the part size of a multipart ETag, the usual sizes are
 * tried: a match proves the bytes, and no match proves nothing.
 * @returns whether the bytes are proven
 * @throws S3Error `ChecksumMismatch`
 */
async function matchesStore(
  context: TransferContext,
  bucket: string,
  key: string,
  head: ObjectHead,
  source: ReadableBytes,
): Promise<boolean> {
  const expected = await expectedDigest(context, bucket, key, head);
  if (expected.kind !== 'none' && (await matchesDigest(context, source, expected, key))) return true;
  if (await matchesUsualPartSize(context, key, head, source)) return true;
  if (expected.kind !== 'none') throw checksumMismatch(key);
  return false;
}

/** Returns whether the ETag of the object is that of the bytes in parts of a usual size. */
export async function matchesUsualPartSize(
  context: TransferContext,
  key: string,
  head: ObjectHead,
  source: ReadableBytes,
): Promise<boolean> {
  if (head.checksum !== undefined || !hasMultipartEtag(head)) return false;
  for (const partSize of usualPartSizes(head))
    if (await matchesDigest(context, source, { kind: 'parts', value: head.etag, partSize }, key)) return true;
  return false;
}
