import { isRetryable } from '../../error-kinds.js';
import { checksumHeader, runningChecksum } from '../checksums.js';
import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import type { BodyPieces } from '../../http/http-client.js';
import { storedEtag } from './body-checksums.js';
import { sendPartBody } from './upload-part.js';
import type { UploadPart } from './upload-part.js';

/**
 * Returns whether the checksum of a body may follow the body, so that the body is read only once. The MD5 and the SHA-256 must precede the
 * body, and some stores do not support trailers.
 */
export const canUseTrailer = (store: Store): boolean =>
  store.supportsTrailers !== false &&
  store.confirmsChecksums !== false &&
  !store.refusesChecksums &&
  store.integrity !== 'md5' &&
  store.integrity !== 'sha256';

/** A body in chunks, followed by its checksum. */
interface TrailerBody {
  headers: Record<string, string>;
  payloadHash: string;
  body: BodyPieces;
  /** Returns the checksum. Valid after the whole body was sent. */
  checksum(): string;
}

/**
 * Frames a body as chunks with a trailer.
 * @param pieceSize bytes of every piece except the last one
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
function trailerBody(store: Store, pieces: BodyPieces, pieceSize: number): TrailerBody {
  const header = checksumHeader(store.checksum);
  const running = runningChecksum(store.digests, store.checksum);
  const trailer = (value: string): string => `0\r\n${header}:${value}\r\n\r\n`;
  const chunks = chunkFrames(pieces, running, () => trailer(running.value()));
  const { size } = pieces;
  const frameSize = (bytes: number): number => (bytes === 0 ? 0 : chunkHeader(bytes).length + LINE_BREAK.length);
  const framesSize = Math.floor(size / pieceSize) * frameSize(pieceSize) + frameSize(size % pieceSize);
  return {
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(size),
      'x-amz-sdk-checksum-algorithm': store.checksum,
      'x-amz-trailer': header,
    },
    payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    body: { size: size + framesSize + trailer(running.value()).length, next: async () => (await chunks.next()).value },
    checksum: () => running.value(),
  };
}

const LINE_BREAK = '\r\n';
const chunkHeader = (size: number): string => size.toString(16) + LINE_BREAK;

async function* chunkFrames(
  pieces: BodyPieces,
  running: { update(bytes: Uint8Array): void },
  trailer: () => string,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  /** Ends the chunk before. */
  let separator = '';
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    running.update(piece);
    yield encoder.encode(separator + chunkHeader(piece.length));
    yield piece;
    separator = LINE_BREAK;
  }
  yield encoder.encode(separator + trailer());
}

/**
 * Uploads a part whose checksum follows the bytes, if `canUseTrailer` allows it. The first such request finds out whether the
 * store supports trailers; other parts do without them meanwhile. Only a store that returns the checksum has removed the frames of
 * the chunks and compared the bytes.
 * @param pieceSize bytes of every piece except the last one
 * @throws S3Error `ChecksumMismatch`; with `again` if the part shall be sent without a trailer
 */
export async function uploadPartWithTrailer(
  store: Store,
  part: UploadPart & { body: BodyPieces },
  pieceSize: number,
): Promise<{ etag: string; checksum: string }> {
  const isKnown = store.supportsTrailers === true;
  if (!isKnown) store.supportsTrailers = false;
  let isSupported: boolean | undefined;
  try {
    const { checksum, ...body } = trailerBody(store, part.body, pieceSize);
    const response = await sendPartBody(store, part, body);
    const confirmed = response.headers[checksumHeader(store.checksum)];
    isSupported = confirmed !== undefined;
    if (confirmed !== checksum())
      throw new S3Error('ChecksumMismatch', `The store has ${store.checksum} ${confirmed ?? 'unknown'}; ${checksum()} was sent.`);
    store.confirmsChecksums = true;
    return { etag: storedEtag(response), checksum: checksum() };
  } catch (error) {
    if (isKnown || !(error instanceof S3Error)) throw error;
    if (isSupported === undefined && (refusesTrailer(error) || ++store.unansweredTrailers === MAX_UNANSWERED))
      isSupported = false;
    // Without a trailer, the request succeeds or its error states another reason.
    if (isSupported !== undefined) error.again = true;
    throw error;
  } finally {
    if (!isKnown) store.supportsTrailers = isSupported;
  }
}

/** Requests without a clear response after which trailers are not used. A proxy may fail at such bodies without saying so. */
const MAX_UNANSWERED = 3;

/** Errors about the bytes. Stores that treat the frames of chunks as part of the body return them too. */
const BODY_ERRORS = new Set(['BadDigest', 'IncompleteBody', 'XAmzContentChecksumMismatch', 'XAmzContentSHA256Mismatch']);

/** Returns whether an error shows that the store does not support trailers, rather than a temporary problem or an unknown upload. */
const refusesTrailer = (error: S3Error): boolean =>
  BODY_ERRORS.has(error.code) ||
  error.status === 501 ||
  (error.status >= 400 && error.status < 500 && error.status !== 404 && !error.again && !isRetryable(error));
