import type { JournalPart } from '../journal/resume-journal.js';
import type { MultipartSession } from '../multipart/multipart-session.js';
import type { BodyHashes } from '../s3/commands/body-checksums.js';
import { uploadPart } from '../s3/commands/upload-part.js';
import { BUFFERED_PART_MAX, partBody, readFully } from '../transfer/part-body.js';
import { hashBuffered, hashInTurn, hashPart } from '../transfer/part-hashes.js';
import type { Part } from '../transfer/part-plan.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { SourceReader } from '../types.js';

const MiB = 1024 * 1024;

/** Source of the bytes of parts. */
export type PartSource = Pick<SourceReader, 'read' | 'blob'>;

/** Returns whether a part is held in memory. Larger parts are read in pieces; Blobs are sent by the browser. */
const isBuffered = (source: PartSource, part: Part): boolean => part.size <= BUFFERED_PART_MAX && source.blob === undefined;

/** Returns the bytes of memory that `sendPart` needs for a part. */
export const partBufferSize = (source: PartSource, part: Part): number => (isBuffered(source, part) ? part.size : MiB);

/**
 * Sends one part, unless the store has it from an earlier run whose response was lost.
 * @param buffer memory of `partBufferSize` bytes
 */
export async function sendPart(
  context: TransferContext,
  source: PartSource,
  session: MultipartSession,
  part: Part,
  buffer: Uint8Array,
  progress: FileProgress,
): Promise<JournalPart> {
  const { key } = session.upload;
  const body = isBuffered(source, part) ? buffer.subarray(0, part.size) : undefined;
  if (body !== undefined) await readFully(source, part.start, body, key);
  const hash = () => (body === undefined ? hashPart(context, source, part, buffer, key) : hashBuffered(context.store, body));
  const stored = await findStoredPart(session, part, hash);
  if (stored !== undefined) {
    progress.addResumed(part.size);
    return stored;
  }
  const send =
    body === undefined
      ? await piecewiseSender(context, source, session, part, buffer, hash)
      : async (addMoved: (bytes: number) => void): Promise<JournalPart> => {
          const request = { ...session.upload, number: part.number, signal: context.signal, onSent: addMoved };
          const hashes = await hash();
          const etag = await uploadPart(context.store, { ...request, body, hashes });
          return { number: part.number, etag, checksum: hashes.checksum };
        };
  return context.executor.request(key, part.size, send, progress);
}

/** @returns the part if the store has one with the same bytes */
async function findStoredPart(
  { unacknowledged }: MultipartSession,
  { number, size }: Part,
  hash: () => BodyHashes | Promise<BodyHashes>,
): Promise<JournalPart | undefined> {
  const stored = unacknowledged.get(number);
  if (stored?.size !== size) return undefined;
  const { checksum, md5Hex } = await hash();
  if (stored.checksum !== checksum && stored.etag !== md5Hex) return undefined;
  return { number, etag: stored.etag, checksum };
}

/** Returns a function that sends a part in pieces. If the store supports it, the checksum follows the bytes, so they are read once. */
async function piecewiseSender(
  context: TransferContext,
  source: PartSource,
  session: MultipartSession,
  part: Part,
  buffer: Uint8Array,
  hash: () => BodyHashes | Promise<BodyHashes>,
): Promise<(addMoved: (bytes: number) => void) => Promise<JournalPart>> {
  const { store } = context;
  // Few files have such parts, so the module is loaded only for them. A Blob cannot be sent with a trailer.
  const trailer = source.blob === undefined ? await import('../s3/commands/upload-part-with-trailer.js') : undefined;
  const useTrailer = (): boolean => trailer?.canUseTrailer(store) === true;
  return async (addMoved) => {
    // While this part waits for its turn to be hashed, another part may find out that the store supports trailers.
    const hashes = useTrailer() ? undefined : await hashInTurn(context, async () => (useTrailer() ? undefined : hash()));
    const pieces = partBody(source, part, buffer, session.upload.key);
    let sent = 0;
    const request = {
      ...session.upload,
      number: part.number,
      signal: context.signal,
      onSent: (bytes: number) => {
        // The frames of chunks are not bytes of the file.
        const fileBytes = Math.min(bytes, part.size - sent);
        sent += fileBytes;
        addMoved(fileBytes);
      },
    };
    try {
      if (hashes === undefined) {
        const result = await trailer!.uploadPartWithTrailer(store, { ...request, body: pieces }, buffer.length);
        return { number: part.number, ...result };
      }
      const etag = await uploadPart(store, { ...request, body: pieces, hashes });
      return { number: part.number, etag, checksum: hashes.checksum };
    } finally {
      // A response may end the request while the body still reads into the buffer, which is lent to another part next.
      await pieces.stop();
    }
  };
}
