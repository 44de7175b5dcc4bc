import type { JournalPart, Unfinished } from '../journal/resume-journal.js';
import { headObject } from '../list/head-object.js';
import { listParts } from '../s3/commands/list-parts.js';
import type { StoredPart } from '../s3/commands/list-parts.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { MultipartSession } from './multipart-session.js';
import { joinPartChecksums, multipartEtag } from './part-digests.js';

/**
 * Compares the parts in the store with those in the journal.
 * @param isSameState whether the source has not changed since the parts were sent. If false, each part has to be compared.
 * @returns undefined if the store no longer has the upload
 */
export async function resumeMultipartSession(
  context: TransferContext,
  bucket: string,
  old: Unfinished,
  isSameState: boolean,
): Promise<MultipartSession | undefined> {
  const { key, uploadId } = old;
  if (uploadId === undefined) return undefined;
  const upload = { bucket, key, uploadId };
  const stored = await context.executor.request(key, 0, () => listParts(context.store, { ...upload, signal: context.signal }));
  const completed = new Map<number, JournalPart>();
  const unacknowledged = new Map<number, StoredPart>();
  if (stored === undefined) {
    const finishedEtag = isSameState ? await completedObjectEtag(context, bucket, old) : undefined;
    return finishedEtag === undefined ? undefined : { upload, completed, unacknowledged, finishedEtag };
  }
  for (const part of stored) {
    const recorded = old.parts.get(part.number);
    if (recorded === undefined) unacknowledged.set(part.number, part);
    else if (recorded.etag !== part.etag) continue;
    else if (isSameState) completed.set(part.number, recorded);
    else unacknowledged.set(part.number, { ...part, checksum: part.checksum ?? recorded.checksum });
  }
  return { upload, completed, unacknowledged };
}

/** @returns the ETag of the stored object if it consists of the parts in the journal */
async function completedObjectEtag(context: TransferContext, bucket: string, old: Unfinished): Promise<string | undefined> {
  const parts = [...old.parts.values()].sort((a, b) => a.number - b.number);
  const head = await headObject(context, bucket, old.key);
  if (head === undefined || head.size !== old.size || parts.length !== Math.ceil(old.size / old.partSize)) return undefined;
  // Parts that the store copied have no known checksum.
  const hasChecksums = parts.every((part) => part.checksum);
  const isSameChecksum =
    hasChecksums && head.checksum?.value === joinPartChecksums(context.store.checksum, parts, old.size, old.partSize);
  const isSameEtag = head.etag === multipartEtag(context, parts);
  return isSameChecksum || isSameEtag ? head.etag : undefined;
}
