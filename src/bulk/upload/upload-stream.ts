import type { UploadedFile, UploadSettings } from './upload-settings.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { hashBody } from '../s3/commands/body-checksums.js';
import { uploadPart } from '../s3/commands/upload-part.js';
import { joinChecksums } from '../s3/checksums.js';
import { toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { streamPartSizes } from '../transfer/part-plan.js';
import type { SourceFile } from '../types.js';
import { processParts } from '../transfer/parallel-parts.js';
import { abandonUpload } from '../multipart/abort-upload.js';
import { completeMultipartSession } from '../multipart/complete-multipart-session.js';
import { openMultipartSession } from '../multipart/open-multipart-session.js';
import type { MultipartSession } from '../multipart/multipart-session.js';
import { streamParts } from './stream-parts.js';
import type { StreamPart } from './stream-parts.js';
import { objectExists } from '../list/head-object.js';
import { partBufferSize, sendPart } from './upload-multipart.js';
import { objectProperties, putBytes } from './put-bytes.js';

/** A stream of unknown length: one request when it ends within the first part, else parts that grow as it goes on. */
export async function uploadStream(
  context: TransferContext,
  file: SourceFile,
  key: string,
  settings: UploadSettings,
): Promise<UploadedFile | undefined> {
  if (settings.onlyNew && (await objectExists(context, settings.bucket, key))) return undefined;
  const properties = objectProperties(file, key, settings);
  const sizeOf = streamPartSizes(settings.partSize, file.expectedSize);
  const wanted = { bucket: settings.bucket, key, size: -1, version: '', partSize: sizeOf(1), properties };
  let opening: Promise<MultipartSession> | undefined;
  let session: MultipartSession | undefined;
  let whole: { made: UploadedFile | undefined } | undefined;
  const parts: JournalPart[] = [];
  const sizes: number[] = [];
  const progress = context.meter.trackFile(key, undefined);
  try {
    const made = (inFlight: ReadonlySet<Promise<void>>, signal: AbortSignal) =>
      streamParts(context, file, sizeOf, inFlight, signal);
    await processParts(context, made, async (part) => {
      const number = sizes.push(part.size);
      try {
        if (number === 1 && part.ended && 'body' in part) {
          progress.end();
          whole = { made: await putBytes(context, key, part.body, properties, settings) };
        } else {
          session = await (opening ??= openMultipartSession(context, wanted));
          parts[number - 1] = await send(context, session, number, part, progress);
        }
      } finally {
        part.free();
      }
    });
    if (whole !== undefined) return whole.made;
    const size = sizes.reduce((sum, one) => sum + one, 0);
    const pieces = parts.map(({ checksum }, index) => ({ checksum, size: sizes[index]! }));
    const checksum = joinChecksums(context.store.checksum, pieces);
    const etag = await completeMultipartSession(context, session!, parts, {
      checksum,
      size,
      ...(settings.onlyNew && { onlyNew: true }),
    });
    context.journal.end(key);
    return { etag, size, mtimeNs: undefined };
  } catch (error) {
    // A stream cannot be read again: nobody will ever finish this upload.
    if (session !== undefined) await abandonUpload(context, session.upload, true);
    if (settings.onlyNew && toS3Error(error).code === 'PreconditionFailed') return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

async function send(
  context: TransferContext,
  session: MultipartSession,
  number: number,
  part: StreamPart,
  progress: ReturnType<TransferContext['meter']['trackFile']>,
): Promise<JournalPart> {
  const { size } = part;
  if ('spool' in part) {
    const piece = { number, start: 0, size };
    const buffer = await context.buffers.acquire(partBufferSize(part.spool, piece), context.signal);
    return sendPart(context, part.spool, session, piece, buffer, progress).finally(() => context.buffers.release(buffer));
  }
  let checksum = '';
  const etag = await context.executor.request(session.upload.key, size, () => {
    const hashes = hashBody(context.store, part.body);
    checksum = hashes.checksum;
    return uploadPart(context.store, { ...session.upload, number, body: part.body, hashes, signal: context.signal });
  });
  progress.addMoved(size);
  return { number, etag, checksum };
}
