import type { FastifyRequest } from 'fastify';
import { parseDigest } from '../../../../src/protocol/checksums/repr-digest.js';
import { validationError } from '../../../../src/protocol/errors.js';
import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';

/** The headers of an upload: those of a request, or of a part in a batch. */
export type UploadHeaders = Partial<Record<'idempotency-key' | 'repr-digest' | 'if-match' | 'if-none-match', string | undefined>>;

/**
 * Reads the headers of an upload.
 * @throws `VALIDATION_ERROR` for a Content-Range, because a part of a file must not be stored as a file
 * (https://www.rfc-editor.org/rfc/rfc9110#section-14.5).
 */
export function uploadHeaders({ headers }: FastifyRequest): UploadHeaders {
  if (headers['content-range'] !== undefined)
    throw validationError('content-range', 'is not supported; send files in parts to /v1/uploads');
  const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
  return {
    'idempotency-key': first(headers['idempotency-key']),
    'repr-digest': first(headers['repr-digest']),
    'if-match': headers['if-match'],
    'if-none-match': headers['if-none-match'],
  };
}

/** Validates an `Idempotency-Key`. @throws `VALIDATION_ERROR` */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const { minLength, maxLength } = IDEMPOTENCY;
  if (header.length < minLength || header.length > maxLength || !/^[\x21-\x7e]+$/.test(header))
    throw validationError(
      'idempotency-key',
      `must be ${minLength} to ${maxLength} random, visible ASCII characters; got ${header.length} characters`,
    );
  return header;
}

/** Reads the SHA-256 of a `Repr-Digest` in hex. @throws `VALIDATION_ERROR` */
export function parseReprDigest(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const digest = parseDigest(header);
  if (digest === null) throw validationError('repr-digest', 'must be sha-256=:<base64>: (RFC 9530)');
  return digest;
}
