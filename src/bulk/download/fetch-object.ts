import { S3Error } from '../errors.js';
import { getObject } from '../s3/commands/get-object.js';
import { parseObjectHead, contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry } from '../types.js';
import { checksumMismatch, runningDigest } from '../verify/running-digest.js';

/** Receives the body of one response. */
export interface BodyReceiver {
  push(position: number, piece: Uint8Array): void | Promise<void>;
  /** Returns memory in which the next piece needs no copy. */
  room?(): Uint8Array | undefined;
  /** Called once, when the body is complete. */
  end?(): Promise<void>;
  /** Called once after an error. Resolves when no write is under way. */
  finishWrites?(): Promise<void>;
}

interface ReceivedBody {
  headers: Record<string, string>;
  head: ObjectHead;
  bytes: number;
  /** Digest of the bytes, of the kind that `contentDigestOf` returns. */
  digest: string | undefined;
}

/**
 * Fetches an object in one request and compares it with the checksum in the response.
 * @param createReceiver called for each attempt
 * @returns the head of the response, with the number of received bytes as its size
 * @throws S3Error `ChecksumMismatch` and errors of the request
 */
export async function fetchObject(
  context: TransferContext,
  bucket: string,
  entry: ObjectEntry,
  createReceiver: () => BodyReceiver,
): Promise<ObjectHead> {
  const { key, size } = entry;
  const progress = context.meter.trackFile(key, size);
  const fetchOnce = async (addMoved: (bytes: number) => void): Promise<ObjectHead> => {
    const body = await receiveBody(context, bucket, key, createReceiver(), addMoved);
    verifyBody(entry, body);
    return { ...body.head, size: body.bytes };
  };
  return context.executor.request(key, size, fetchOnce, progress).finally(progress.end);
}

function verifyBody({ key, size, etag }: ObjectEntry, { headers, head, bytes, digest }: ReceivedBody): void {
  // Without a length, the body ends with the connection and may have been cut. With one, the HTTP client notices.
  if (headers['content-length'] === undefined && head.etag === etag && bytes !== size)
    throw new S3Error('ConnectionFailed', `${key}: the store sent ${bytes} of ${size} bytes.`);
  if (digest !== contentDigestOf(head)?.value) throw checksumMismatch(key);
}

async function receiveBody(
  context: TransferContext,
  bucket: string,
  key: string,
  receiver: BodyReceiver,
  addMoved: (bytes: number) => void,
): Promise<ReceivedBody> {
  let bytes = 0;
  let head: ObjectHead | undefined;
  let running: ReturnType<typeof runningDigest> | undefined;
  const begin = (headers: Record<string, string>): ObjectHead => {
    const begun = parseObjectHead(headers);
    const expected = contentDigestOf(begun);
    running = expected && runningDigest(context.store.digests, expected);
    return begun;
  };
  try {
    const { headers } = await getObject(context.store, {
      bucket,
      key,
      signal: context.signal,
      ...(receiver.room && { room: () => receiver.room!() }),
      onData: (piece, headers) => {
        head ??= begin(headers);
        running?.update(piece);
        const position = bytes;
        bytes += piece.length;
        addMoved(piece.length);
        return receiver.push(position, piece);
      },
    });
    await receiver.end?.();
    // The body may be empty.
    head ??= begin(headers);
    return { headers, head, bytes, digest: running?.value() };
  } catch (error) {
    await receiver.finishWrites?.().catch(() => {});
    throw error;
  }
}
