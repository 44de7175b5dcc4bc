import { checksumHeader, runningChecksum, toBase64 } from '../checksum.js';
import { isThrottle, S3Error } from '../errors.js';
import type { Store } from '../store.js';
import type { BodyPieces, WireAnswer } from '../wire.js';

/**
 * Whether a body may be sent whose checksum comes behind it, so that it is read once: not where its MD5 has to go before it, and not
 * where the store is known to take none such.
 */
export const mayTrail = (store: Store): boolean =>
  store.trailers !== false &&
  store.confirms !== false &&
  !store.refusesChecksums &&
  store.integrity !== 'md5' &&
  store.integrity !== 'sha256';

/** A body in chunks, and behind them what was computed as it left. */
export interface Trailed {
  headers: Record<string, string>;
  payload: string;
  body: BodyPieces;
  /** When all of it has left. */
  checksum(): string;
}

/**
 * Source: AWS, "Signature calculations for the Authorization header: transferring payload in multiple chunks".
 * @param step bytes of every piece but the last
 */
export function trailed(store: Store, pieces: BodyPieces, step: number): Trailed {
  const header = checksumHeader(store.checksum);
  const running = runningChecksum(store.digests, store.checksum);
  const end = (value: string): string => `0\r\n${header}:${value}\r\n\r\n`;
  const chunks = framed(pieces, running, () => end(running.value()));
  const { size } = pieces;
  const rest = size % step;
  const framing = Math.floor(size / step) * frame(step).length + (rest > 0 ? frame(rest).length : 0);
  const emptyValue = toBase64(new Uint8Array(store.checksum === 'CRC64NVME' ? 8 : 4));
  return {
    headers: {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': String(size),
      'x-amz-sdk-checksum-algorithm': store.checksum,
      'x-amz-trailer': header,
    },
    payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    body: { size: size + framing + end(emptyValue).length, next: async () => (await chunks.next()).value },
    checksum: () => running.value(),
  };
}

/** What stands round a chunk. */
const frame = (size: number): string => `${size.toString(16)}\r\n\r\n`;

async function* framed(
  pieces: BodyPieces,
  running: { update(bytes: Uint8Array): void },
  end: () => string,
): AsyncGenerator<Uint8Array, undefined> {
  const text = new TextEncoder();
  let before = '';
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    running.update(piece);
    yield text.encode(`${before}${piece.length.toString(16)}\r\n`);
    yield piece;
    before = '\r\n';
  }
  yield text.encode(before + end());
}

/**
 * Sends one, and learns whether this store takes such: one alone asks, and others do without meanwhile. Only a store that answers with
 * the checksum has read what stood round the chunks, and compared.
 * @throws S3Error `ChecksumMismatch`; with `again` where it is to be sent the other way
 */
export async function sendTrailed(store: Store, value: () => string, send: () => Promise<WireAnswer>): Promise<WireAnswer> {
  const asks = store.trailers === undefined;
  if (asks) store.trailers = false;
  try {
    const answer = await send();
    const echoed = answer.headers[checksumHeader(store.checksum)];
    store.trailers = echoed !== undefined;
    if (echoed !== value())
      throw new S3Error('ChecksumMismatch', `The store has ${store.checksum} ${echoed ?? 'unknown'}, sent was ${value()}.`);
    store.confirms = true;
    return answer;
  } catch (error) {
    if (!asks || !(error instanceof S3Error)) throw error;
    if (isThrottle(error)) store.trailers = undefined;
    // Whatever else it was: sent the other way, it either goes or says what is wrong.
    else error.again = true;
    throw error;
  }
}
