import type { TransferContext } from '../transfer/transfer-context.js';
import { getObject } from '../s3/commands/get-object.js';
import { objectHeadOf, contentDigestOf } from '../s3/commands/head-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { S3Error } from '../errors.js';
import type { ObjectEntry } from '../types.js';
import { checksumMismatch, runningDigest } from '../verify/content-digest.js';

/** Receives the body of one response. */
export interface BodyReceiver {
  take(position: number, piece: Uint8Array): void | Promise<void>;
  /** Where the next piece would be taken without a copy. */
  room?(): Uint8Array | undefined;
  /** Called once, when all has come. */
  end?(): Promise<void>;
  /** Called once when not: nothing is to be on its way afterwards. */
  settled?(): Promise<void>;
}

/** Result of one response. */
interface Fetched {
  headers: Record<string, string>;
  facts: ObjectHead;
  bytes: number;
  /** Digest of the bytes, of the kind that `contentDigestOf` returns. */
  value: string | undefined;
}

/**
 * An object in one answer, checked against what comes with it.
 * @param receiver made anew for each try
 */
export const fetchObject = (
  context: TransferContext,
  bucket: string,
  entry: ObjectEntry,
  receiver: () => BodyReceiver,
): Promise<ObjectHead> => fetchVerified(context, entry, (moved) => receiveBody(context, bucket, entry.key, receiver(), moved));

async function fetchVerified(
  context: TransferContext,
  { key, size, etag }: ObjectEntry,
  fetch: (moved: (bytes: number) => void) => Promise<Fetched>,
): Promise<ObjectHead> {
  const progress = context.meter.trackFile(key, size);
  const fetchOnce = async (moved: (bytes: number) => void): Promise<ObjectHead> => {
    const { headers, facts, bytes, value } = await fetch(moved);
    // A body that ends with its connection may have been cut; others say themselves how long they are.
    if (headers['content-length'] === undefined && facts.etag === etag && bytes !== size)
      throw new S3Error('ConnectionFailed', `${key}: the store sent ${bytes} bytes of ${size}.`);
    if (value !== contentDigestOf(facts)?.value) throw checksumMismatch(key);
    return { ...facts, size: bytes };
  };
  return context.executor.request(key, size, fetchOnce, progress).finally(progress.end);
}

async function receiveBody(
  context: TransferContext,
  bucket: string,
  key: string,
  to: BodyReceiver,
  moved: (bytes: number) => void,
): Promise<Fetched> {
  let bytes = 0;
  let facts: ObjectHead | undefined;
  let checksum: ReturnType<typeof runningDigest> | undefined;
  const begin = (headers: Record<string, string>): ObjectHead => {
    const begun = objectHeadOf(headers);
    const told = contentDigestOf(begun);
    checksum = told && runningDigest(context.store.digests, told);
    return begun;
  };
  try {
    const { headers } = await getObject(context.store, {
      bucket,
      key,
      signal: context.signal,
      ...(to.room && { room: () => to.room!() }),
      onData: (piece, headers) => {
        facts ??= begin(headers);
        checksum?.update(piece);
        const at = bytes;
        bytes += piece.length;
        moved(piece.length);
        return to.take(at, piece);
      },
    });
    await to.end?.();
    facts ??= begin(headers);
    return { headers, facts, bytes, value: checksum?.value() };
  } catch (error) {
    await to.settled?.().catch(() => {});
    throw error;
  }
}
