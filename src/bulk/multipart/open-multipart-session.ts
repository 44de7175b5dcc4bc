import { ignoreForbidden } from '../error-kinds.js';
import { toS3Error } from '../errors.js';
import { hash64 } from '../journal/hash64.js';
import { journalPlace, findUnfinished } from '../journal/resume-journal.js';
import type { Unfinished } from '../journal/resume-journal.js';
import { createMultipartUpload } from '../s3/commands/create-multipart-upload.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectProperties } from '../types.js';
import { abortUnknownUploads, abortStaleUpload, cleanupContext } from './abort-upload.js';
import type { MultipartPlan, MultipartSession } from './multipart-session.js';
import { PART_SIZE_METADATA } from './part-digests.js';
import { restoreTags } from './restore-tags.js';
import { resumeMultipartSession } from './resume-multipart-session.js';

/**
 * Resumes the upload that an earlier run began for the same bytes and properties. Otherwise aborts that upload and creates one.
 * @throws S3Error `InvalidOption` if the journal holds an upload of this key to another bucket
 */
export async function openMultipartSession(context: TransferContext, plan: MultipartPlan): Promise<MultipartSession> {
  const { bucket, key } = plan;
  const old = findUnfinished(context.journal, key, journalPlace('to', bucket));
  if (old === undefined) return createSession(context, plan, false);
  const session = await resumeSession(context, plan, old);
  if (session !== undefined) return session;
  let staleUploadRemains = false;
  await abortStaleUpload(context, bucket, old).catch((error: unknown) => {
    staleUploadRemains = true;
    ignoreForbidden(error);
  });
  return createSession(context, plan, staleUploadRemains);
}

/** Identifies the bytes and the properties of an upload. Parts of other properties would create another object. */
function contentVersionOf(plan: MultipartPlan): string {
  return `${plan.version} ${hash64(JSON.stringify(plan.properties)).toString(36)}`;
}

/** Returns the `version` of a journal entry: `content`, or `content @stamp` if the source has a stamp. */
function journalVersionOf(plan: MultipartPlan): string {
  const content = contentVersionOf(plan);
  return plan.stamp === undefined ? content : `${content} @${plan.stamp}`;
}

/**
 * Compares the `version` of a journal entry with a plan.
 * @returns `isSameState`: nothing changed. `isSameContent`: at most the stamp changed, so the parts have to be compared.
 */
function compareVersions(recorded: string, plan: MultipartPlan): { isSameContent: boolean; isSameState: boolean } {
  const isSameState = recorded === journalVersionOf(plan);
  const hasStamps = plan.stamp !== undefined && recorded.startsWith(`${contentVersionOf(plan)} @`);
  return { isSameState, isSameContent: isSameState || hasStamps };
}

function journalEntryOf(plan: MultipartPlan, begunMs: number): Omit<Unfinished, 'parts' | 'uploadId'> {
  const { bucket, key, size, partSize } = plan;
  return { key, place: journalPlace('to', bucket), size, version: journalVersionOf(plan), partSize, begunMs };
}

/** @returns undefined if the upload of the journal does not fit the plan, or the store no longer has it */
async function resumeSession(
  context: TransferContext,
  plan: MultipartPlan,
  old: Unfinished,
): Promise<MultipartSession | undefined> {
  const { bucket, key, size, partSize } = plan;
  const { isSameContent, isSameState } = compareVersions(old.version, plan);
  if (!isSameContent || size < 0 || old.size !== size || old.partSize !== partSize) return undefined;
  const session = await resumeMultipartSession(context, bucket, old, isSameState).catch(ignoreForbidden);
  if (session === undefined) return undefined;
  if (!isSameState) {
    await context.journal.begin(journalEntryOf(plan, old.begunMs));
    await context.journal.setUploadId(key, session.upload.uploadId);
  }
  const { tags } = plan.properties;
  if (session.finishedEtag !== undefined) await restoreTags(context, plan, tags);
  return { ...session, tags };
}

/**
 * Creates an upload and records it in the journal.
 * @param staleUploadRemains the journal holds an upload that could be neither read nor aborted. It stays there until the new
 *   upload has its id.
 */
async function createSession(
  context: TransferContext,
  plan: MultipartPlan,
  staleUploadRemains: boolean,
): Promise<MultipartSession> {
  const { bucket, key } = plan;
  const { journal } = context;
  const entry = journalEntryOf(plan, context.store.now());
  if (!staleUploadRemains) await journal.begin(entry);
  const properties = withPartSize(context, plan);
  // Set if a failed attempt may have created an upload whose id is unknown.
  let mayHaveUnknownUploads = false;
  const onFailedAttempt = (error: unknown): void => {
    const { status } = toS3Error(error);
    mayHaveUnknownUploads ||= status < 300 || status >= 500;
  };
  let uploadId: string;
  try {
    uploadId = await requestUpload(context, plan, properties, onFailedAttempt);
  } catch (error) {
    if (!mayHaveUnknownUploads && !staleUploadRemains) journal.end(key);
    if (mayHaveUnknownUploads && !journal.resumable)
      await abortUnknownUploads(cleanupContext(context), bucket, entry).catch(() => {});
    throw error;
  }
  if (staleUploadRemains) await journal.begin(entry);
  await journal.setUploadId(key, uploadId);
  // The upload continues if the others cannot be found or aborted.
  if (mayHaveUnknownUploads) await abortUnknownUploads(context, bucket, entry, uploadId).catch(() => {});
  return { upload: { bucket, key, uploadId }, completed: new Map(), unacknowledged: new Map(), tags: properties.tags };
}

/** Stores the part size with the object, so that its ETag can be verified. A copy keeps what its source states. */
function withPartSize({ store }: TransferContext, { properties, partSize, copies }: MultipartPlan): ObjectProperties {
  if (store.confirmsChecksums && !copies) return properties;
  return { ...properties, metadata: { ...properties.metadata, [PART_SIZE_METADATA]: String(partSize) } };
}

/** @returns the id of the new upload */
function requestUpload(
  context: TransferContext,
  { bucket, key, copies }: MultipartPlan,
  properties: ObjectProperties,
  onFailedAttempt: (error: unknown) => void,
): Promise<string> {
  return context.executor.request(key, 0, async () => {
    try {
      // Parts that the store copies have no checksum.
      const create = { bucket, key, properties, ...(copies && { checksums: false }), signal: context.signal };
      return await createMultipartUpload(context.store, create);
    } catch (error) {
      onFailedAttempt(error);
      throw error;
    }
  });
}
