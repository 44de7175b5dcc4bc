import { isStoreFull } from '../error-kinds.js';
import { toS3Error } from '../errors.js';
import type { S3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { objectExists } from '../list/head-object.js';
import { abandonUpload } from '../multipart/abort-upload.js';
import { completeMultipartSession } from '../multipart/complete-multipart-session.js';
import type { MultipartSession } from '../multipart/multipart-session.js';
import { openMultipartSession } from '../multipart/open-multipart-session.js';
import { joinPartChecksums } from '../multipart/part-digests.js';
import { processParts, splitParts } from '../transfer/parallel-parts.js';
import { fileChanged } from '../transfer/part-body.js';
import { partSizeFor } from '../transfer/part-plan.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectProperties, SourceReader } from '../types.js';
import { partBufferSize, sendPart } from './send-part.js';
import type { UploadSettings } from './upload-settings.js';

/**
 * Uploads a large file in parts, several at once, and resumes what an earlier run sent.
 * @returns undefined if `onlyNew` found an object
 * @throws S3Error `FileChanged`, `SourceUnreadable`, `ChecksumMismatch`, or the refusal of the store
 */
export async function uploadMultipart(
  context: TransferContext,
  reader: SourceReader,
  key: string,
  properties: ObjectProperties,
  settings: UploadSettings,
): Promise<{ etag: string; resumedBytes: number } | undefined> {
  const { size } = reader;
  const { bucket, onlyNew } = settings;
  // An object at the key of an unfinished upload may be the result of that upload. Resuming it finds out.
  if (onlyNew && !context.journal.unfinished.has(key) && (await objectExists(context, bucket, key))) return undefined;
  const partSize = partSizeFor(size, settings.partSize);
  const version = `${reader.mtimeNs ?? ''} ${context.store.checksum}`;
  const plan = { bucket, key, size, version, stamp: reader.version, partSize, properties };
  const session = await openMultipartSession(context, plan);
  const progress = context.meter.trackFile(key, size);
  try {
    if (session.finishedEtag !== undefined) {
      progress.addResumed(size);
      context.journal.end(key);
      return { etag: session.finishedEtag, resumedBytes: progress.resumedBytes };
    }
    const parts = await sendParts(context, reader, session, partSize, progress);
    await requireUnchanged(context, reader, parts, partSize, key);
    const checksum = joinPartChecksums(context.store.checksum, parts, size, partSize);
    const expected = { checksum, size, ...(onlyNew && { onlyNew }) };
    const etag = await completeMultipartSession(context, session, parts, expected);
    context.journal.end(key);
    return { etag, resumedBytes: progress.resumedBytes };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const exists = onlyNew === true && error.code === 'PreconditionFailed';
    // In a full store, parts would take the space that other uploads need.
    const canResume = !exists && canResumeAfter(error, reader) && !isStoreFull(error);
    await abandonUpload(context, session.upload, canResume);
    if (exists) return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

/** @throws S3Error `FileChanged` if the file was written to while its parts were sent */
async function requireUnchanged(
  context: TransferContext,
  reader: SourceReader,
  parts: JournalPart[],
  partSize: number,
  key: string,
): Promise<void> {
  if (await reader.changed()) throw fileChanged(key);
  if (!reader.unwatched) return;
  const { readsSameBytes } = await import('../verify/reads-same-bytes.js');
  if (!(await readsSameBytes(context, reader, parts, partSize, key))) throw fileChanged(key);
}

/**
 * Returns whether a later run can use the sent parts, although the file may have changed. With a `version`, the next run compares them, so a file that was only
 * renamed is not sent again. If changes are not reported, the next run would find the file changed again.
 */
const canResumeAfter = (error: S3Error, reader: SourceReader): boolean =>
  error.code !== 'FileChanged' || (reader.version !== undefined && reader.unwatched !== true);

async function sendParts(
  context: TransferContext,
  reader: SourceReader,
  session: MultipartSession,
  partSize: number,
  progress: FileProgress,
): Promise<JournalPart[]> {
  const { completed } = session;
  const { missing, results: parts } = splitParts({ size: reader.size, partSize, completed }, progress);
  async function* withBuffers(_: unknown, signal: AbortSignal) {
    // Waiting for a buffer keeps a large file within its share of the memory.
    for (const part of missing) yield { part, buffer: await context.buffers.acquire(partBufferSize(reader, part), signal) };
  }
  // When this ends, no part reads the file or uses a buffer any more, so the caller can close the file.
  await processParts(context, withBuffers, async ({ part, buffer }) => {
    try {
      const sent = await sendPart(context, reader, session, part, buffer, progress);
      parts[part.number - 1] = sent;
      context.journal.addPart(session.upload.key, sent);
    } finally {
      context.buffers.release(buffer);
    }
  });
  return parts;
}
