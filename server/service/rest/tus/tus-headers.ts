import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { parseIdempotencyKey } from '../upload/upload-headers.js';
import type { AppendOptions } from '../../storage/resumable/resumable-rows.js';

// https://tus.io/protocols/resumable-upload

export const TUS_VERSION = '1.0.0';
const TUS_EXTENSIONS = 'creation,creation-with-upload,checksum,expiration,termination';
const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'md5'];
const MAX_METADATA = 8192;

/** Sets the headers of the response to OPTIONS, which describe the supported protocol. */
export const setCapabilityHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('Tus-Version', TUS_VERSION)
    .header('Tus-Extension', TUS_EXTENSIONS)
    .header('Tus-Checksum-Algorithm', CHECKSUM_ALGORITHMS.join(','));

export const getHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

export const requestIdempotencyKey = (request: FastifyRequest): string | undefined =>
  parseIdempotencyKey(getHeader(request, 'idempotency-key'));

/** @throws `PRECONDITION_FAILED` for another version of tus. */
export function assertVersion(request: FastifyRequest, reply: FastifyReply): void {
  if (getHeader(request, 'tus-resumable') === TUS_VERSION) return;
  reply.header('Tus-Version', TUS_VERSION);
  throw new BlobError('PRECONDITION_FAILED', `Tus-Resumable must be ${TUS_VERSION}.`, {
    details: { condition: 'Tus-Resumable' },
  });
}

/** Parses a length or an offset. @throws `VALIDATION_ERROR` */
export function parseByteCount(request: FastifyRequest, name: 'upload-length' | 'upload-offset'): number {
  const text = getHeader(request, name);
  if (text === undefined) throw validationError(name, 'is required');
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw validationError(name, `must be a number of bytes; got ${text}`);
  return count;
}

export const hasUploadBody = (request: FastifyRequest): boolean =>
  getHeader(request, 'content-type') === 'application/offset+octet-stream';

/** @throws `VALIDATION_ERROR` with status 415 for another content type. */
export function assertUploadBody(request: FastifyRequest): void {
  if (!hasUploadBody(request)) throw validationError('content-type', 'must be application/offset+octet-stream', { status: 415 });
}

/** Parses `Upload-Metadata`: keys and base64 values, separated by commas. @throws `VALIDATION_ERROR` */
export function parseUploadMetadata(text: string | undefined): Map<string, string> {
  const metadata = new Map<string, string>();
  if (text === undefined || text.trim() === '') return metadata;
  if (text.length > MAX_METADATA)
    throw validationError('upload-metadata', `must have at most ${MAX_METADATA} characters; got ${text.length}`);
  for (const pair of text.split(',')) {
    const match = /^([^\s,]+)(?: +([A-Za-z0-9+/]*={0,2}))?$/.exec(pair.trim());
    if (!match) throw validationError('upload-metadata', 'must be keys and base64 values, separated by commas');
    const [, key, value = ''] = match;
    if (metadata.has(key!)) throw validationError('upload-metadata', `must contain each key once; got ${key} twice`);
    metadata.set(key!, decodeValue(key!, value));
  }
  return metadata;
}

/**
 * Compares the `sample` of an upload with that of a repeated creation. A client that stored the `Idempotency-Key` may use it for another file of the same
 * name and length.
 * @throws `IDEMPOTENCY_KEY_REUSED`
 */
export function assertSameSample(earlierMetadata: string, repeatedMetadata: string): void {
  const earlier = parseUploadMetadata(earlierMetadata).get('sample');
  const repeated = parseUploadMetadata(repeatedMetadata).get('sample');
  if (earlier !== undefined && repeated !== undefined && earlier !== repeated)
    throw new BlobError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to an upload with another `sample`.');
}

function decodeValue(key: string, value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'));
  } catch (cause) {
    throw validationError('upload-metadata', `must be UTF-8 in the value of ${key}`, { cause });
  }
}

/** Parses `Upload-Checksum`. Its check fails with status 460, as tus requires. @throws `VALIDATION_ERROR` */
export function parseUploadChecksum(text: string | undefined): AppendOptions['checksum'] {
  if (text === undefined) return undefined;
  const match = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  if (!match || !CHECKSUM_ALGORITHMS.includes(match[1]!))
    throw validationError(
      'upload-checksum',
      `must be one of ${CHECKSUM_ALGORITHMS.join(', ')}, then a space and a base64 digest`,
    );
  const hash = createHash(match[1]!);
  const expected = Buffer.from(match[2]!, 'base64').toString('base64');
  return {
    hasher: {
      update: (chunk) => void hash.update(chunk),
      digest: () => hash.digest('base64'),
    },
    check(digest) {
      if (digest !== expected)
        throw new BlobError(
          'CHECKSUM_MISMATCH',
          `The ${match[1]} of the received bytes is ${digest}; Upload-Checksum states ${expected}.`,
          {
            status: 460,
            details: { expected, actual: digest },
          },
        );
    },
  };
}
