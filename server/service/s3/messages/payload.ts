import { S3Error } from '../errors.js';
import { chunkSigner } from '../sigv4/chunk-signer.js';
import { equalSecret } from '../sigv4/verify.js';
import type { Verified } from '../sigv4/verify.js';
import { ChunkedDecoder } from './chunked.js';
import { payloadMode } from './payload-mode.js';
import type { S3Request } from './request.js';
import { MAX_PUT } from './sizes.js';

/** The body of a request without its framing. It throws where the framing lies; what it gave before is then not to be believed. */
export interface Payload {
  /** Bytes of data, as announced; undefined for a body of the transfer coding `chunked`. */
  size: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
  /** The hex SHA-256 the signature vouches for; undefined when the body is unsigned or signed in chunks. */
  sha256: string | undefined;
  /** What followed the body; complete when `chunks` has ended. */
  trailers: ReadonlyMap<string, string>;
  /** The names that `x-amz-trailer` announced. */
  trailerNames: readonly string[];
}

/** @param source the bytes on the wire; an end before the announced length must throw there. */
export function readPayload(request: S3Request, verified: Verified<unknown>, source: AsyncIterable<Buffer>): Payload {
  const mode = payloadMode(verified.claim.payloadHash);
  if (mode.kind === 'plain') {
    const size = lengthHeader(request, 'content-length');
    if (size === undefined && request.headers.get('transfer-encoding') === undefined) throw new S3Error('MissingContentLength');
    // Framing that nobody announces in full would be stored as if it were data.
    if (request.headers.get('x-amz-decoded-content-length') !== undefined)
      throw new S3Error('InvalidRequest', 'x-amz-decoded-content-length needs a STREAMING x-amz-content-sha256.');
    return { size, chunks: source, sha256: mode.sha256, trailers: new Map(), trailerNames: [] };
  }
  const size = lengthHeader(request, 'x-amz-decoded-content-length');
  if (size === undefined)
    throw new S3Error('MissingContentLength', 'You must provide the x-amz-decoded-content-length HTTP header.');
  const trailerNames = mode.trailer ? announcedTrailers(request) : [];
  const decoder = new ChunkedDecoder({
    decodedLength: size,
    equal: equalSecret,
    ...(mode.signed && { signer: chunkSigner(verified) }),
    ...(mode.trailer && { trailers: trailerNames }),
  });
  return { size, chunks: decoded(source, decoder), sha256: undefined, trailers: decoder.trailers, trailerNames };
}

async function* decoded(source: AsyncIterable<Buffer>, decoder: ChunkedDecoder): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield* decoder.push(piece);
  decoder.end();
}

function lengthHeader(request: S3Request, name: string): number | undefined {
  const text = request.headers.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new S3Error('InvalidRequest', `The header ${name} is not a length.`);
  if (Number(text) > MAX_PUT)
    throw new S3Error('EntityTooLarge', undefined, { fields: { ProposedSize: text, MaxSizeAllowed: String(MAX_PUT) } });
  return Number(text);
}

const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '');

function announcedTrailers(request: S3Request): string[] {
  const names = listed(request.headers.get('x-amz-trailer'));
  if (names.length === 0) throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-trailer');
  return names;
}

/** The stored content encoding: what was given without `aws-chunked`, which is of the transfer. */
export function storedEncoding(request: S3Request): string | undefined {
  const kept = (request.headers.get('content-encoding') ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one.toLowerCase() !== 'aws-chunked');
  return kept.length > 0 ? kept.join(', ') : undefined;
}
