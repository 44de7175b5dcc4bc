import { S3Error } from '../errors.js';
import type { DigestName } from '../s3/checksums.js';
import { getObject } from '../s3/commands/get-object.js';
import type { FileProgress } from '../transfer/progress-meter.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { Target, TargetFile } from '../types.js';
import { runningDigest } from '../verify/running-digest.js';
import { PieceWriter, WRITER_MEMORY } from './piece-writer.js';

/** One range of an object. */
export interface ObjectRange {
  bucket: string;
  key: string;
  etag: string;
  /** Digest to compute of the range. */
  digest: DigestName;
  start: number;
  size: number;
}

/** Returns what `runningDigest` and `matchesDigest` need to compute the digest of a range. */
export const digestOfRange = (name: DigestName) =>
  name === 'MD5' ? ({ kind: 'md5', value: '' } as const) : ({ kind: 'checksum', name, value: '' } as const);

/**
 * Fetches one range and writes it to its place in the file.
 * @returns the digest of the range
 * @throws S3Error
 */
export async function fetchRange(
  context: TransferContext,
  range: ObjectRange,
  file: TargetFile,
  { memory }: Target,
  progress: FileProgress,
): Promise<string> {
  const { key, size } = range;
  // The buffer is acquired before the request slot. A request that waits for memory could block those that would free it.
  const buffer = await context.buffers.acquire(WRITER_MEMORY, context.signal, memory);
  const fetchOnce = (addMoved: (bytes: number) => void): Promise<string> =>
    receiveRange(context, range, new PieceWriter(file, buffer, range.start), addMoved);
  return context.executor.request(key, size, fetchOnce, progress).finally(() => context.buffers.release(buffer));
}

async function receiveRange(
  context: TransferContext,
  { bucket, key, etag, digest, start, size }: ObjectRange,
  writer: PieceWriter,
  addMoved: (bytes: number) => void,
): Promise<string> {
  const running = runningDigest(context.store.digests, digestOfRange(digest));
  let received = 0;
  try {
    await getObject(context.store, {
      bucket,
      key,
      range: { start, end: start + size - 1 },
      ifMatch: etag,
      signal: context.signal,
      room: () => writer.room(),
      onData: (piece) => {
        if (received + piece.length > size) throw tooLong(key, size);
        running.update(piece);
        received += piece.length;
        addMoved(piece.length);
        return writer.push(piece);
      },
    });
    await writer.end();
    if (received !== size) throw tooShort(key, received, size);
    return running.value();
  } catch (error) {
    await writer.finishWrites().catch(() => {});
    throw error;
  }
}

/** Creates the error for a store that ignored the requested range. */
export const tooLong = (key: string, requested: number): S3Error =>
  new S3Error('UnexpectedAnswer', `${key}: the store sent more than the ${requested} bytes that were requested.`);

/** Creates the error for a response that ended early. */
export const tooShort = (key: string, received: number, requested: number): S3Error =>
  new S3Error('ConnectionFailed', `${key}: the store sent ${received} of ${requested} bytes.`);
