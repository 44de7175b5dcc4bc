import type { Unfinished } from '../journal/resume-journal.js';
import { abortMultipartUpload } from '../s3/commands/abort-multipart-upload.js';
import { listParts } from '../s3/commands/list-parts.js';
import type { UploadRef } from '../s3/commands/upload-ref.js';
import { createQueryContext } from '../transfer/transfer-context.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { listUnfinishedUploads } from './list-unfinished-uploads.js';

/** Aborts an upload. Succeeds if the store does not know it. */
export const abortUpload = (context: TransferContext, upload: UploadRef): Promise<void> =>
  context.executor.request(upload.key, 0, () => abortMultipartUpload(context.store, { ...upload, signal: context.signal }));

/** Aborts an upload of an earlier run that will not be resumed, and removes it from the journal. */
export async function abortStaleUpload(context: TransferContext, bucket: string, old: Unfinished): Promise<void> {
  const { key, uploadId } = old;
  if (uploadId === undefined) await abortUnknownUploads(context, bucket, old);
  else await abortUpload(context, { bucket, key, uploadId });
  context.journal.end(key);
}

/**
 * Cleans up after a failed upload. If a later run can resume it from the journal, the parts stay.
 * @param canResume whether a later run may use the parts
 */
export async function abandonUpload(context: TransferContext, upload: UploadRef, canResume: boolean): Promise<void> {
  if (canResume && context.journal.resumable) return;
  try {
    await abortUpload(cleanupContext(context), upload);
    context.journal.end(upload.key);
  } catch {
    // The caller reports the error that made the upload fail. The journal still holds the upload.
  }
}

/** Creates the context for cleaning up after the transfer was stopped: with its own time limit and few retries. */
export const cleanupContext = ({ store }: TransferContext): TransferContext =>
  createQueryContext(store, { signal: AbortSignal.timeout(10_000), retry: { tries: 3 } });

/** Upper bound for all attempts to create an upload, in milliseconds. Larger differences between the clocks are corrected. */
const MAX_CREATION_MS = 15 * 60_000;
/** Remaining difference between the clocks, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5000;

/**
 * Aborts uploads whose ids were lost with their responses: uploads of this key that were created at that time, except
 * `knownUploadId`. Uploads with parts belong to other machines or tools.
 */
export async function abortUnknownUploads(
  context: TransferContext,
  bucket: string,
  { key, begunMs }: { key: string; begunMs: number },
  knownUploadId?: string,
): Promise<void> {
  for await (const entry of listUnfinishedUploads(context, { bucket, prefix: key })) {
    const ageMs = entry.initiatedMs - begunMs;
    const isOther = entry.key !== key || entry.uploadId === knownUploadId;
    if (isOther || ageMs < -CLOCK_TOLERANCE_MS || ageMs > MAX_CREATION_MS) continue;
    const upload = { bucket, key, uploadId: entry.uploadId };
    const parts = await context.executor.request(key, 0, () => listParts(context.store, { ...upload, signal: context.signal }));
    if (parts?.length === 0) await abortUpload(context, upload);
  }
}
