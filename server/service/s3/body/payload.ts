import { S3ServiceError } from '../errors.js';
import { chunkSigner } from '../sigv4/chunk-signer.js';
import { equalSecret } from '../sigv4/verify-signature.js';
import type { VerifiedSignature } from '../sigv4/verify-signature.js';
import { AwsChunkedDecoder } from './aws-chunked-decoder.js';
import { payloadMode } from './payload-mode.js';
import type { S3Request } from '../messages/request.js';
import { MAX_PUT_BYTES } from '../messages/limits.js';

/** The body of a request without its framing. */
export interface Payload {
  /** Announced bytes of data; undefined for `Transfer-Encoding: chunked`. */
  size: number | undefined;
  /** The data. Throws for wrong framing or a wrong signature; earlier chunks are invalid then. */
  chunks: AsyncIterable<Uint8Array>;
  /** The signed SHA-256 of the body, hex; undefined if the body is unsigned or its chunks are signed. */
  sha256: string | undefined;
  /** The trailers. They are complete after `chunks` has ended. */
  trailers: ReadonlyMap<string, string>;
  /** Lower-case names that `x-amz-trailer` announces. */
  trailerNames: readonly string[];
}

/**
 * Prepares the body of a request for reading.
 * @param source the bytes from the socket. It must throw if the body ends early.
 * @throws S3ServiceError `MissingContentLength`, `InvalidRequest`, `EntityTooLarge`.
 */
export function readPayload(request: S3Request, verified: VerifiedSignature<unknown>, source: AsyncIterable<Buffer>): Payload {
  const mode = payloadMode(verified.signature.payloadHash);
  if (mode.kind === 'plain') {
    const size = lengthHeader(request, 'content-length');
    if (size === undefined && request.headers.get('transfer-encoding') === undefined)
      throw new S3ServiceError('MissingContentLength');
    // Without the STREAMING value, chunk framing would be stored as data.
    if (request.headers.get('x-amz-decoded-content-length') !== undefined)
      throw new S3ServiceError(
        'InvalidRequest',
        'x-amz-decoded-content-length requires an x-amz-content-sha256 that starts with STREAMING.',
      );
    return { size, chunks: source, sha256: mode.sha256, trailers: new Map(), trailerNames: [] };
  }
  const size = lengthHeader(request, 'x-amz-decoded-content-length');
  if (size === undefined)
    throw new S3ServiceError('MissingContentLength', 'You must provide the x-amz-decoded-content-length HTTP header.');
  const trailerNames = mode.trailer ? announcedTrailers(request) : [];
  const decoder = new AwsChunkedDecoder({
    decodedLength: size,
    equal: equalSecret,
    ...(mode.signed && { signer: chunkSigner(verified) }),
    ...(mode.trailer && { trailers: trailerNames }),
  });
  return { size, chunks: decodeChunks(source, decoder), sha256: undefined, trailers: decoder.trailers, trailerNames };
}

async function* decodeChunks(source: AsyncIterable<Buffer>, decoder: AwsChunkedDecoder): AsyncGenerator<Uint8Array> {
  for await (const input of source) yield* decoder.push(input);
  decoder.end();
}

function lengthHeader(request: S3Request, name: string): number | undefined {
  const text = request.headers.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new S3ServiceError('InvalidRequest', `${name} must be a number of bytes; got ${text}.`);
  if (Number(text) > MAX_PUT_BYTES)
    throw new S3ServiceError('EntityTooLarge', undefined, {
      fields: { ProposedSize: text, MaxSizeAllowed: String(MAX_PUT_BYTES) },
    });
  return Number(text);
}

const splitList = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');

function announcedTrailers(request: S3Request): string[] {
  const names = splitList(request.headers.get('x-amz-trailer'));
  if (names.length === 0) throw new S3ServiceError('InvalidRequest', 'Missing required header for this request: x-amz-trailer');
  return names;
}

/** Returns the content encoding to store. `aws-chunked` describes only the transfer, so it is removed. */
export function storedContentEncoding(request: S3Request): string | undefined {
  const encodings = (request.headers.get('content-encoding') ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && item.toLowerCase() !== 'aws-chunked');
  return encodings.length > 0 ? encodings.join(', ') : undefined;
}
