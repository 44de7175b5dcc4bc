import { toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { objectExists } from '../list/head-object.js';
import { abandonUpload } from '../multipart/abort-upload.js';
import { completeMultipartSession } from '../multipart/complete-multipart-session.js';
import type { MultipartSession } from '../multipart/multipart-session.js';
import { openMultipartSession } from '../multipart/open-multipart-session.js';
import { joinChecksums } from '../s3/checksums.js';
import { hashBody } from '../s3/commands/body-checksums.js';
import { uploadPart } from '../s3/commands/upload-part.js';
import { processParts } from '../transfer/parallel-parts.js';
import { streamPartSizes } from '../transfer/part-plan.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { SourceFile } from '../types.js';
import { objectProperties, putBytes } from './put-bytes.js';
import { partBufferSize, sendPart } from './send-part.js';
import { streamParts } from './stream-parts.js';
import type { StreamPart } from './stream-parts.js';
import type { UploadedFile, UploadSettings } from './upload-settings.js';

/**
 * Uploads a stream of unknown length: in one request if it ends within the first part, otherwise in parts that grow.
 * @returns undefined if `onlyNew` found an object
 */
export async function uploadStream(
  context: TransferContext,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
): Promise<UploadedFile | undefined> {
  const { bucket, onlyNew } = settings;
  if (onlyNew && (await objectExists(context, bucket, key))) return undefined;
  const properties = objectProperties(file, key, settings);
  const partSizeOf = streamPartSizes(settings.partSize, file.expectedSize);
  const plan = { bucket, key, size: -1, version: '', partSize: partSizeOf(1), properties };
  let opening: Promise<MultipartSession> | undefined;
  let session: MultipartSession | undefined;
  /** Set if the whole stream was sent in one request. */
  let single: { uploaded: UploadedFile | undefined } | undefined;
  const parts: JournalPart[] = [];
  const sizes: number[] = [];
  const progress = context.meter.trackFile(key, undefined);
  try {
    const readParts = (inFlight: ReadonlySet<Promise<void>>, signal: AbortSignal) =>
      streamParts(context, file, partSizeOf, inFlight, signal);
    await processParts(context, readParts, async (part) => {
      const number = sizes.push(part.size);
      try {
        if (number === 1 && part.ended && 'body' in part) {
          progress.end();
          single = { uploaded: await putBytes(context, key, part.body, properties, settings) };
        } else {
          session = await (opening ??= openMultipartSession(context, plan));
          parts[number - 1] = await sendStreamPart(context, session, number, part, progress);
        }
      } finally {
        part.free();
      }
    });
    if (single !== undefined) return single.uploaded;
    const size = sizes.reduce((sum, partSize) => sum + partSize, 0);
    const checksum = joinChecksums(
      context.store.checksum,
      parts.map((part, index) => ({ checksum: part.checksum, size: sizes[index]! })),
    );
    const expected = { checksum, size, ...(onlyNew && { onlyNew }) };
    const etag = await completeMultipartSession(context, session!, parts, expected);
    context.journal.end(key);
    return { etag, size, mtimeNs: undefined };
  } catch (error) {
    // A stream cannot be read again, so no later run can use the parts.
    if (session !== undefined) await abandonUpload(context, session.upload, false);
    if (onlyNew && toS3Error(error).code === 'PreconditionFailed') return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

async function sendStreamPart(
  context: TransferContext,
  session: MultipartSession,
  number: number,
  part: StreamPart,
  progress: FileProgress,
): Promise<JournalPart> {
  const { size } = part;
  if ('spool' in part) {
    const { spool } = part;
    const range = { number, start: 0, size };
    const buffer = await context.buffers.acquire(partBufferSize(spool, range), context.signal);
    return sendPart(context, spool, session, range, buffer, progress).finally(() => context.buffers.release(buffer));
  }
  const { body } = part;
  let checksum = '';
  const etag = await context.executor.request(session.upload.key, size, () => {
    const hashes = hashBody(context.store, body);
    checksum = hashes.checksum;
    return uploadPart(context.store, { ...session.upload, number, body, hashes, signal: context.signal });
  });
  progress.addMoved(size);
  return { number, etag, checksum };
}
