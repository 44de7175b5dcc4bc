import { isRetryable } from '../../error-kinds.js';
import { checksumHeader, runningChecksum } from '../checksums.js';
import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import type { BodyPieces } from '../../http/http-client.js';
import { storedEtag } from './body-checksums.js';
import { sendPartBody } from './upload-part.js';
import type { UploadPart } from './upload-part.js';

/**
 * Whether a body may be sent whose checksum comes behind it, so that it is read once: not where its MD5 has to go before it, and not
 * where the store is known to take none such.
 */
export const canUseTrailer = (store: Store): boolean =>
  store.supportsTrailers !== false &&
  store.confirmsChecksums !== false &&
  !store.refusesChecksums &&
  store.integrity !== 'md5' &&
  store.integrity !== 'sha256';

/** A body in chunks, and behind them what was computed as it left. */
interface TrailerBody {
  headers: Record<string, string>;
  payloadHash: string;
  body: BodyPieces;
  /** When all of it has left. */
  checksum(): string;
}

/**
 * Source: AWS, "Signature calculations for the Authorization header: transferring payload in multiple chunks".
 * @param step bytes of every piece but the last
 */
function trailerBody(store: Store, pieces: BodyPieces, step: number): TrailerBody {
  const header = checksumHeader(store.checksum);
  const running = runningChecksum(store.digests, store.checksum);
  const end = (value: string): string => `0\r\n${header}:${value}\r\n\r\n`;
  const chunks = chunkFrames(pieces, running, () => end(running.value()));
  const { size } = pieces;
  const framing = (bytes: number): number => (bytes === 0 ? 0 : begin(bytes).length + BREAK.length);
  const frames = Math.floor(size / step) * framing(step) + framing(size % step);
  return {
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(size),
      'x-amz-sdk-checksum-algorithm': store.checksum,
      'x-amz-trailer': header,
    },
    payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    body: { size: size + frames + end(running.value()).length, next: async () => (await chunks.next()).value },
    checksum: () => running.value(),
  };
}

const BREAK = '\r\n';
const begin = (size: number): string => size.toString(16) + BREAK;

async function* chunkFrames(
  pieces: BodyPieces,
  running: { update(bytes: Uint8Array): void },
  end: () => string,
): AsyncGenerator<Uint8Array, undefined> {
  const text = new TextEncoder();
  let before = '';
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    running.update(piece);
    yield text.encode(before + begin(piece.length));
    yield piece;
    before = BREAK;
  }
  yield text.encode(before + end());
}

/**
 * `uploadPart` of a body that is read once, where `canUseTrailer` says so. It learns whether this store takes such: one alone asks, and others do
 * without meanwhile. Only a store that answers with the checksum has read what stood round the chunks, and compared.
 * @param step bytes of every piece but the last
 * @throws S3Error `ChecksumMismatch`; with `again` where it is to be sent the other way
 */
export async function uploadPartWithTrailer(
  store: Store,
  part: UploadPart & { body: BodyPieces },
  step: number,
): Promise<{ etag: string; checksum: string }> {
  const isKnown = store.supportsTrailers === true;
  if (!isKnown) store.supportsTrailers = false;
  let takes: boolean | undefined;
  try {
    const { checksum, ...body } = trailerBody(store, part.body, step);
    const response = await sendPartBody(store, part, body);
    const echoed = response.headers[checksumHeader(store.checksum)];
    takes = echoed !== undefined;
    if (echoed !== checksum())
      throw new S3Error('ChecksumMismatch', `The store has ${store.checksum} ${echoed ?? 'unknown'}, sent was ${checksum()}.`);
    store.confirmsChecksums = true;
    return { etag: storedEtag(response), checksum: checksum() };
  } catch (error) {
    if (isKnown || !(error instanceof S3Error)) throw error;
    if (takes === undefined && (refuses(error) || ++store.unansweredTrailers === UNANSWERED_MAX)) takes = false;
    // Sent the other way, it either goes or says what is wrong.
    if (takes !== undefined) error.again = true;
    throw error;
  } finally {
    if (!isKnown) store.supportsTrailers = takes;
  }
}

/** Asked so often without an response to that: what stands between may break at such bodies, and never say so. */
const UNANSWERED_MAX = 3;

/** Errors about the bytes. A store that takes the chunk frames for a part of the body returns them too. */
const BODY_ERRORS = new Set(['BadDigest', 'IncompleteBody', 'XAmzContentChecksumMismatch', 'XAmzContentSHA256Mismatch']);

/** Whether a store says that it takes no such body, and not but that something else is wrong, now or with the upload. */
const refuses = (error: S3Error): boolean =>
  BODY_ERRORS.has(error.code) ||
  error.status === 501 ||
  (error.status >= 400 && error.status < 500 && error.status !== 404 && !error.again && !isRetryable(error));
