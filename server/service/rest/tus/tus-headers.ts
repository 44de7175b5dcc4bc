import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError, invalid } from '../../../../src/protocol/errors.js';
import type { AppendOptions } from '../../storage/resumable/resumable-rows.js';

// https://tus.io/protocols/resumable-upload

export const TUS_VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,checksum,expiration,termination';
const ALGORITHMS = ['sha1', 'sha256', 'md5'];
const MAX_METADATA = 8192;

/** What OPTIONS tells. */
export const describeTus = (reply: FastifyReply): FastifyReply =>
  reply
    .header('Tus-Version', TUS_VERSION)
    .header('Tus-Extension', EXTENSIONS)
    .header('Tus-Checksum-Algorithm', ALGORITHMS.join(','));

export const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** @throws 412 when the client speaks another version. */
export function assertVersion(request: FastifyRequest, reply: FastifyReply): void {
  if (header(request, 'tus-resumable') === TUS_VERSION) return;
  reply.header('Tus-Version', TUS_VERSION);
  throw new BlobError('PRECONDITION_FAILED', `Tus-Resumable must be ${TUS_VERSION}.`, {
    details: { condition: 'Tus-Resumable' },
  });
}

/** A length or an offset. @throws `VALIDATION_ERROR`. */
export function byteCount(request: FastifyRequest, name: 'upload-length' | 'upload-offset'): number {
  const text = header(request, name);
  if (text === undefined) throw invalid(name, 'is required');
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw invalid(name, 'must be a number of bytes');
  return count;
}

export const carriesBytes = (request: FastifyRequest): boolean =>
  header(request, 'content-type') === 'application/offset+octet-stream';

/** @throws 415. */
export function assertCarriesBytes(request: FastifyRequest): void {
  if (!carriesBytes(request))
    throw new BlobError('VALIDATION_ERROR', 'content-type: must be application/offset+octet-stream', {
      status: 415,
      path: 'content-type',
    });
}

/** `Upload-Metadata`: keys and base64 values. @throws `VALIDATION_ERROR`. */
export function parseMetadata(text: string | undefined): Map<string, string> {
  const found = new Map<string, string>();
  if (text === undefined || text.trim() === '') return found;
  if (text.length > MAX_METADATA) throw invalid('upload-metadata', `may hold at most ${MAX_METADATA} characters`);
  for (const pair of text.split(',')) {
    const match = /^([^\s,]+)(?: +([A-Za-z0-9+/]*={0,2}))?$/.exec(pair.trim());
    if (!match) throw invalid('upload-metadata', 'must hold keys and base64 values, separated by commas');
    const [, key, value = ''] = match;
    if (found.has(key!)) throw invalid('upload-metadata', `names ${key} twice`);
    found.set(key!, decode(key!, value));
  }
  return found;
}

/**
 * Compares what a client said of a file's content when it created an upload and when it repeats the creation: it may have stored the
 * `Idempotency-Key` and found it again for another file of the same name and length.
 * @throws `IDEMPOTENCY_KEY_REUSED`
 */
export function assertSameSample(before: string, now: string): void {
  const [first, second] = [before, now].map((metadata) => parseMetadata(metadata).get('sample'));
  if (first !== undefined && second !== undefined && first !== second)
    throw new BlobError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to an upload with another `sample`.');
}

function decode(key: string, value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'));
  } catch (cause) {
    throw new BlobError('VALIDATION_ERROR', `upload-metadata: the value of ${key} must be UTF-8`, {
      path: 'upload-metadata',
      cause,
    });
  }
}

/** `Upload-Checksum`. @throws `VALIDATION_ERROR`; the check throws 460, as tus has it. */
export function parseChecksum(text: string | undefined): AppendOptions['checksum'] {
  if (text === undefined) return undefined;
  const match = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  if (!match || !ALGORITHMS.includes(match[1]!))
    throw invalid('upload-checksum', `must be one of ${ALGORITHMS.join(', ')} and a base64 digest`);
  const hash = createHash(match[1]!);
  const stated = Buffer.from(match[2]!, 'base64').toString('base64');
  return {
    hasher: {
      update: (chunk) => void hash.update(chunk),
      digest: () => hash.digest('base64'),
    },
    check(digest) {
      if (digest !== stated)
        throw new BlobError('CHECKSUM_MISMATCH', 'The bytes that arrived are not the ones the checksum states.', {
          status: 460,
          details: { expected: stated, actual: digest },
        });
    },
  };
}
