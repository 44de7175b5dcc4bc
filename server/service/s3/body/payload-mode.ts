import { S3ServiceError, invalidArgument } from '../errors.js';

/** The framing of a body and its signature, as stated by `x-amz-content-sha256`. */
export type PayloadMode = { kind: 'plain'; sha256: string | undefined } | { kind: 'chunked'; signed: boolean; trailer: boolean };

const CHUNKED: ReadonlyMap<string, PayloadMode> = new Map([
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { kind: 'chunked', signed: true, trailer: false }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { kind: 'chunked', signed: true, trailer: true }],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { kind: 'chunked', signed: false, trailer: true }],
]);

/** Parses `x-amz-content-sha256`. @throws S3ServiceError `InvalidArgument`, `NotImplemented`. */
export function payloadMode(hash: string): PayloadMode {
  if (hash === 'UNSIGNED-PAYLOAD') return { kind: 'plain', sha256: undefined };
  if (/^[0-9a-f]{64}$/.test(hash)) return { kind: 'plain', sha256: hash };
  const mode = CHUNKED.get(hash);
  if (mode) return mode;
  if (hash.startsWith('STREAMING-AWS4-ECDSA')) throw new S3ServiceError('NotImplemented');
  throw invalidArgument(
    'x-amz-content-sha256',
    hash,
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
  );
}
