import { isStoreFull } from '../error-kinds.js';
import { toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { abandonUpload } from '../multipart/abort-upload.js';
import { completeMultipartSession } from '../multipart/complete-multipart-session.js';
import type { MultipartSession } from '../multipart/multipart-session.js';
import { openMultipartSession } from '../multipart/open-multipart-session.js';
import { multipartEtag, PART_SIZE_METADATA } from '../multipart/part-digests.js';
import { copyPart } from '../s3/commands/copy-object.js';
import { getObject } from '../s3/commands/get-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { processParts, splitParts } from '../transfer/parallel-parts.js';
import { partSizeFor } from '../transfer/part-plan.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectProperties } from '../types.js';
import { findPartSize } from '../verify/expected-digest.js';
import type { CopySource } from './copy-settings.js';

/** Target of a copy. */
interface CopyTarget {
  bucket: string;
  key: string;
  /** All properties of the copy. */
  properties: ObjectProperties;
  onlyNew?: boolean;
}

const DEFAULT_COPY_PART_SIZE = 256 * 1024 * 1024;

/**
 * Copies a large object by copying its ranges in parallel, and resumes what an earlier run copied.
 * @returns the ETag of the copy
 * @throws S3Error `ChecksumMismatch`, `PreconditionFailed` if the source changed or `onlyNew` found an object
 */
export async function copyInParts(
  context: TransferContext,
  from: CopySource,
  source: ObjectHead,
  to: CopyTarget,
  progress: FileProgress,
): Promise<string> {
  const { size } = source;
  const { bucket, key, properties, onlyNew } = to;
  // In the parts of the source, the copy gets the ETag of the source, which proves the bytes at no cost.
  const sourcePartSize = await findSourcePartSize(context, from, source);
  const partSize = partSizeFor(size, sourcePartSize ?? DEFAULT_COPY_PART_SIZE);
  const version = `${from.bucket}/${from.key} ${from.etag}`;
  const session = await openMultipartSession(context, { bucket, key, size, version, partSize, properties, copies: true });
  // Another ETag shows that the noted part size is wrong. Then only the bytes can prove the copy.
  const matchesEtag = async (etag: string): Promise<boolean> =>
    etag === source.etag || etag === (await computeMultipartEtag(context, from, size, partSize));
  try {
    if (session.finishedEtag !== undefined) {
      progress.addResumed(size);
      context.journal.end(key);
      return session.finishedEtag;
    }
    const parts = await copyParts(context, from, session, size, partSize, progress);
    const etag = await completeMultipartSession(context, session, parts, {
      size,
      copied: source.checksum,
      ...(partSize === sourcePartSize && { matchesEtag }),
      ...(onlyNew && { onlyNew }),
    });
    context.journal.end(key);
    return etag;
  } catch (thrown) {
    const error = toS3Error(thrown);
    await abandonUpload(context, session.upload, error.code !== 'PreconditionFailed' && !isStoreFull(error));
    throw error;
  }
}

/** @returns the part size of the source if its metadata notes one and its ETag can be compared */
async function findSourcePartSize(
  context: TransferContext,
  { bucket, key }: CopySource,
  source: ObjectHead,
): Promise<number | undefined> {
  const isNoted = source.parts > 1 && !source.encrypted && PART_SIZE_METADATA in source.metadata;
  return isNoted ? findPartSize(context, bucket, key, source) : undefined;
}

async function copyParts(
  context: TransferContext,
  from: CopySource,
  { upload, completed }: MultipartSession,
  size: number,
  partSize: number,
  progress: FileProgress,
): Promise<JournalPart[]> {
  const { store, signal, journal } = context;
  const { missing, results: parts } = splitParts({ size, partSize, completed }, progress);
  await processParts(
    context,
    () => missing,
    async (part) => {
      const etag = await context.executor.request(upload.key, part.size, () =>
        copyPart(store, { from, ...upload, ...part, signal }),
      );
      const copied = { number: part.number, etag, checksum: '' };
      parts[part.number - 1] = copied;
      journal.addPart(upload.key, copied);
      progress.addMoved(part.size);
    },
  );
  return parts;
}

/** Downloads an object and computes the ETag that it has in parts of a size. */
async function computeMultipartEtag(
  context: TransferContext,
  { bucket, key, etag: ifMatch }: CopySource,
  size: number,
  partSize: number,
): Promise<string | undefined> {
  const parts: { etag: string }[] = [];
  for (let start = 0; start < size; start += partSize) {
    const range = { start, end: Math.min(size, start + partSize) - 1 };
    const etag = await context.executor.request(key, range.end + 1 - start, async () => {
      const hash = context.store.digests.md5();
      const onData = (piece: Uint8Array): void => hash.update(piece);
      await getObject(context.store, { bucket, key, range, ifMatch, signal: context.signal, onData });
      return hash.hex();
    });
    parts.push({ etag });
  }
  return multipartEtag(context, parts);
}
