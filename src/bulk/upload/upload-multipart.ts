import type { UploadSettings } from './upload-settings.js';
import { isStoreFull } from '../error-kinds.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { uploadPart } from '../s3/commands/upload-part.js';
import { toS3Error } from '../errors.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { partSizeFor } from '../transfer/part-plan.js';
import type { Part } from '../transfer/part-plan.js';
import type { ObjectProperties, SourceReader } from '../types.js';
import { objectExists } from '../list/head-object.js';
import { processParts, missingParts } from '../transfer/parallel-parts.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import { abandonUpload } from '../multipart/abort-upload.js';
import { completeMultipartSession } from '../multipart/complete-multipart-session.js';
import { openMultipartSession } from '../multipart/open-multipart-session.js';
import { joinPartChecksums } from '../multipart/part-digests.js';
import type { MultipartSession } from '../multipart/multipart-session.js';
import { BUFFERED_PART_MAX, fileChanged, partBody, readFully } from '../transfer/part-body.js';
import { hashBuffered, hashInTurn, hashPart } from '../transfer/part-hashes.js';

/** A large file in parts, several at once, resumable. @returns undefined when `onlyNew` found the object there. */
export async function uploadMultipart(
  context: TransferContext,
  reader: SourceReader,
  key: string,
  properties: ObjectProperties,
  settings: UploadSettings,
): Promise<{ etag: string; resumedBytes: number } | undefined> {
  const { size } = reader;
  // An object where an upload was begun may be its own, whose end was not heard: going on with it tells.
  if (settings.onlyNew && !context.journal.unfinished.has(key) && (await objectExists(context, settings.bucket, key)))
    return undefined;
  const partSize = partSizeFor(size, settings.partSize);
  const version = `${reader.mtimeNs ?? ''} ${context.store.checksum}`;
  const stamp = reader.version;
  const session = await openMultipartSession(context, {
    bucket: settings.bucket,
    key,
    size,
    version,
    stamp,
    partSize,
    properties,
  });
  const progress = context.meter.trackFile(key, size);
  try {
    if (session.finishedEtag !== undefined) {
      progress.addResumed(size);
      context.journal.end(key);
      return { etag: session.finishedEtag, resumedBytes: progress.resumedBytes };
    }
    const parts = await sendParts(context, reader, session, partSize, progress);
    const again = reader.unwatched && (await import('../verify/reads-same-bytes.js')).readsSameBytes;
    const isWhole = !(await reader.changed()) && (!again || (await again(context, reader, parts, partSize, key)));
    if (!isWhole) throw fileChanged(key);
    const checksum = joinPartChecksums(context.store.checksum, parts, size, partSize);
    const etag = await completeMultipartSession(context, session, parts, {
      checksum,
      size,
      ...(settings.onlyNew && { onlyNew: true }),
    });
    context.journal.end(key);
    return { etag, resumedBytes: progress.resumedBytes };
  } catch (thrown) {
    const error = toS3Error(thrown);
    const exists = settings.onlyNew === true && error.code === 'PreconditionFailed';
    // Where more than the time tells versions apart, the next run compares the parts: a file that was but renamed needs no sending.
    // A file whose changes nobody tells would be found changed again at each try.
    const useless = error.code === 'FileChanged' && (reader.version === undefined || reader.unwatched === true);
    // Parts would only keep the store full: for the next context, and for everybody else.
    await abandonUpload(context, session.upload, exists || useless || isStoreFull(error));
    if (exists) return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

async function sendParts(
  context: TransferContext,
  reader: SourceReader,
  session: MultipartSession,
  partSize: number,
  progress: FileProgress,
): Promise<JournalPart[]> {
  const parts: JournalPart[] = [];
  async function* missing(_: unknown, signal: AbortSignal) {
    // Borrowing the buffer is what holds a large file to its share of memory.
    for (const part of missingParts({ size: reader.size, partSize, completed: session.completed }, parts, progress))
      yield { part, buffer: await context.buffers.acquire(partBufferSize(reader, part), signal) };
  }
  // Nothing still reads from the file, or lies in a borrowed buffer, when this ends and the caller closes it.
  await processParts(context, missing, async ({ part, buffer }) => {
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

const PIECE = 1024 * 1024;

const isBuffered = (reader: PartSource, part: Part): boolean => part.size <= BUFFERED_PART_MAX && reader.blob === undefined;

/** Source of the bytes of parts. */
export type PartSource = Pick<SourceReader, 'read' | 'blob'>;

/** The memory that `sendPart` wants for a part. */
export const partBufferSize = (reader: PartSource, part: Part): number => (isBuffered(reader, part) ? part.size : PIECE);

export async function sendPart(
  context: TransferContext,
  reader: PartSource,
  session: MultipartSession,
  part: Part,
  buffer: Uint8Array,
  progress: FileProgress,
): Promise<JournalPart> {
  const { key } = session.upload;
  const held = isBuffered(reader, part) ? buffer.subarray(0, part.size) : undefined;
  if (held !== undefined) await readFully(reader, part.start, held, key);
  const hash = () => (held === undefined ? hashPart(context, reader, part, buffer, key) : hashBuffered(context.store, held));
  const there = session.unacknowledged.get(part.number);
  if (there?.size === part.size) {
    const { checksum, md5Hex } = await hash();
    if (there.checksum === checksum || there.etag === md5Hex) {
      progress.addResumed(part.size);
      return { number: part.number, etag: there.etag, checksum };
    }
  }
  // Few files have such parts, and pages send theirs as Blobs.
  const trailer =
    held === undefined && reader.blob === undefined ? await import('../s3/commands/upload-part-with-trailer.js') : undefined;
  const trails = (): boolean => trailer?.canUseTrailer(context.store) === true;
  const send = async (moved: (bytes: number) => void): Promise<JournalPart> => {
    // When its turn comes, more may be known of the store.
    const hashes = trails()
      ? undefined
      : await (held ? hash() : hashInTurn(context, async () => (trails() ? undefined : hash())));
    const pieces = held === undefined ? partBody(reader, part, buffer, key) : undefined;
    let sent = 0;
    const sending = {
      ...session.upload,
      number: part.number,
      signal: context.signal,
      onSent: (bytes: number) => {
        // Chunks have something round them.
        const own = Math.min(bytes, part.size - sent);
        sent += own;
        moved(own);
      },
    };
    try {
      if (hashes === undefined) {
        const made = await trailer!.uploadPartWithTrailer(context.store, { ...sending, body: pieces! }, buffer.length);
        return { number: part.number, ...made };
      }
      const etag = await uploadPart(context.store, { ...sending, body: held ?? pieces!, hashes });
      return { number: part.number, etag, checksum: hashes.checksum };
    } finally {
      // An answer that came early ends the request while it still reads, into a buffer that would be lent to others.
      await pieces?.stop();
    }
  };
  return context.executor.request(key, part.size, send, progress);
}
