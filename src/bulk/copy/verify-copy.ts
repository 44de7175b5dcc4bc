import { ignoreForbidden } from '../error-kinds.js';
import { headObject } from '../list/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { checksumMismatch } from '../verify/running-digest.js';
import type { CopySource } from './copy-settings.js';

/**
 * Verifies a copy whose ETag does not prove it: by its size and, if both objects have one, by checksum.
 * @throws S3Error `ChecksumMismatch`
 */
export async function verifyCopy(context: TransferContext, from: CopySource, to: CopySource, size: number): Promise<void> {
  const [source, copy] = await Promise.all([headUnchanged(context, from), headUnchanged(context, to)]);
  const sourceChecksum = source?.checksum;
  const isComparable = sourceChecksum !== undefined && sourceChecksum.name === copy?.checksum?.name;
  const checksumDiffers = isComparable && sourceChecksum.value !== copy?.checksum?.value;
  if (copy !== undefined && (copy.size !== size || checksumDiffers)) throw checksumMismatch(to.key);
  if (!isComparable) context.report.summary.unverified++;
}

/** @returns undefined if the object was replaced or removed meanwhile, or may not be read */
async function headUnchanged(context: TransferContext, { bucket, key, etag }: CopySource): Promise<ObjectHead | undefined> {
  const head = await headObject(context, bucket, key).catch(ignoreForbidden);
  return head?.etag === etag ? head : undefined;
}
