import { ignoreForbidden } from '../error-kinds.js';
import { S3Error, toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { headObject } from '../list/head-object.js';
import { compositeChecksum } from '../s3/checksums.js';
import type { Checksum } from '../s3/checksums.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { completeMultipartUpload } from '../s3/commands/complete-multipart-upload.js';
import { isUnknownUpload } from '../s3/commands/upload-ref.js';
import type { UploadRef } from '../s3/commands/upload-ref.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { abandonUpload, abortUpload } from './abort-upload.js';
import type { MultipartSession } from './multipart-session.js';
import { hasMultipartEtag, multipartEtag } from './part-digests.js';
import { restoreTags } from './restore-tags.js';

/**
 * The object that the parts should form. `checksum` is the checksum of sent parts. `copied` is the checksum of the source of
 * copied parts, if it is known. `matchesEtag` compares the bytes of the source with an ETag.
 */
type ExpectedObject = { size: number; onlyNew?: boolean } & (
  | { checksum: string }
  | { copied: Checksum | undefined; matchesEtag?: (etag: string) => Promise<boolean> }
);

/** Response to the request that completes an upload. */
interface Completion {
  /** Empty if the store refused the request. */
  etag: string;
  checksum: string | undefined;
  /** The upload is unknown, or an object exists. Both also happen if an earlier attempt or run completed the upload. */
  refusal?: S3Error;
}

/**
 * Joins the parts into the object and verifies it.
 * @returns the ETag
 * @throws S3Error `ChecksumMismatch`, or the refusal of the store
 */
export async function completeMultipartSession(
  context: TransferContext,
  session: MultipartSession,
  parts: JournalPart[],
  expected: ExpectedObject,
): Promise<string> {
  const { upload } = session;
  const completion = await requestCompletion(context, upload, parts, expected);
  const { checksum } = completion;
  let { etag } = completion;
  if (checksum !== undefined && 'checksum' in expected) verifyChecksum(context, parts, checksum, expected.checksum);
  else etag = await verifyStoredObject(context, upload, parts, expected, completion);
  await restoreTags(context, upload, session.tags);
  return etag;
}

/** Errors for parts that are missing or damaged in the store. Retrying cannot help. */
const DAMAGED_PARTS = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall', 'BadDigest']);

async function requestCompletion(
  context: TransferContext,
  upload: UploadRef,
  parts: JournalPart[],
  expected: ExpectedObject,
): Promise<Completion> {
  const completion = await context.executor.request(upload.key, 0, async (): Promise<Completion> => {
    try {
      return await completeMultipartUpload(context.store, { ...upload, parts, ...expected, signal: context.signal });
    } catch (thrown) {
      const refusal = toS3Error(thrown);
      const isFinal = DAMAGED_PARTS.has(refusal.code) || isUnknownUpload(refusal) || refusal.code === 'PreconditionFailed';
      // A thrown error would be retried.
      if (isFinal) return { etag: '', checksum: undefined, refusal };
      throw refusal;
    }
  });
  if (completion.refusal !== undefined && DAMAGED_PARTS.has(completion.refusal.code)) {
    await abandonUpload(context, upload, false);
    throw completion.refusal;
  }
  return completion;
}

/** Compares the checksum of the response with that of the sent parts. @throws S3Error `ChecksumMismatch` */
function verifyChecksum({ store }: TransferContext, parts: JournalPart[], stored: string, fullChecksum: string): void {
  const isComposite = stored.includes('-');
  const partChecksums = parts.map((part) => part.checksum);
  const sent = isComposite ? compositeChecksum(store.digests, store.checksum, partChecksums) : fullChecksum;
  if (stored === sent) return;
  throw new S3Error('ChecksumMismatch', `The store has ${store.checksum} ${stored}; ${sent} was sent.`);
}

/**
 * Verifies the object by a HEAD request. If the store returns no checksum, compares the ETag. It is computed over the MD5s of the
 * parts, which were compared when the parts were sent.
 * @returns the ETag
 * @throws S3Error `ChecksumMismatch`, or the refusal of the store if the object does not consist of the parts
 */
async function verifyStoredObject(
  context: TransferContext,
  upload: UploadRef,
  parts: JournalPart[],
  expected: ExpectedObject,
  { etag, refusal }: Completion,
): Promise<string> {
  let mayRead = true;
  const head = await headObject(context, upload.bucket, upload.key).catch((error: unknown) => {
    mayRead = false;
    return ignoreForbidden(error);
  });
  // The store accepted every part and the completion. Credentials that may only write cannot verify more.
  if (!mayRead && refusal === undefined) return etag;

  const expectedChecksum = 'checksum' in expected ? { name: context.store.checksum, value: expected.checksum } : expected.copied;
  const checksum = head?.checksum?.name === expectedChecksum?.name ? head?.checksum?.value : undefined;
  const checksumDiffers = checksum !== undefined && checksum !== expectedChecksum?.value;
  const partsEtag = multipartEtag(context, parts);
  if (refusal !== undefined) {
    const hasSameBytes = (checksum !== undefined && !checksumDiffers) || head?.etag === partsEtag;
    if (head?.size !== expected.size || !hasSameBytes) throw refusal;
    // The object is complete, but the store may still hold the upload.
    if (refusal.code === 'PreconditionFailed') await abortUpload(context, upload).catch(() => {});
  }
  if (head === undefined || head.size !== expected.size || checksumDiffers) throw differsFromParts(upload);
  if (etag !== '' && head.etag !== etag) throw differsFromParts(upload);
  if (hasMultipartEtag(head) && !(await isExpectedEtag(head, partsEtag, expected, checksum))) throw differsFromParts(upload);
  return head.etag;
}

/** @param checksum compared checksum of the stored object, undefined if there is none */
async function isExpectedEtag(
  { etag }: ObjectHead,
  partsEtag: string | undefined,
  expected: ExpectedObject,
  checksum: string | undefined,
): Promise<boolean> {
  if (partsEtag !== undefined && etag !== partsEtag) return false;
  if (!('matchesEtag' in expected) || expected.matchesEtag === undefined || checksum !== undefined) return true;
  return expected.matchesEtag(etag);
}

const differsFromParts = ({ key }: UploadRef): S3Error =>
  new S3Error('ChecksumMismatch', `${key}: the stored object differs from the parts it was made of.`);
