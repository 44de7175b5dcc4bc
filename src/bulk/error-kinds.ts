import { toS3Error } from './errors.js';
import type { S3Error } from './errors.js';

/** Codes with which stores ask for fewer requests. */
const THROTTLE_CODES = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'RequestLimitExceeded',
]);
/** Codes of failures that pass. */
const TRANSIENT_CODES = new Set([
  'BadDigest',
  'ChecksumMismatch',
  'ConditionalRequestConflict',
  'ConnectionFailed',
  'IncompleteBody',
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'Stalled',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);

/** Returns whether the store asks for fewer parallel requests and a pause. */
export const isThrottle = (error: S3Error): boolean =>
  error.status === 429 || error.status === 503 || THROTTLE_CODES.has(error.code);

/** Returns whether the same request may succeed later. */
export const isRetryable = (error: S3Error): boolean =>
  isThrottle(error) ||
  TRANSIENT_CODES.has(error.code) ||
  // The request was delayed, or the clock is wrong. The clock can be corrected only if the store sends its own time.
  (error.code === 'RequestTimeTooSkewed' && error.serverTimeMs !== undefined) ||
  (error.status >= 500 && error.status !== 501 && error.status !== 507);

/** Returns whether the error shows that the store cannot be reached. A store that throttles can be reached. */
export const isOutage = ({ code, status }: S3Error): boolean =>
  code === 'ConnectionFailed' || code === 'Stalled' || ([502, 503, 504].includes(status) && code !== 'SlowDown');

/** Returns whether the storage of the store is full. */
export const isStoreFull = ({ code, status }: S3Error): boolean => code === 'QuotaExceeded' || status === 507;

/** Codes after which no other request of the transfer can succeed. */
const FATAL_CODES = new Set([
  'InvalidAccessKeyId',
  'NoSuchBucket',
  'NotS3',
  'SignatureDoesNotMatch',
  'PeerMissing',
  'ProxyFailed',
  'TlsFailed',
  'Aborted',
  'CredentialsMissing',
  'ExpiredToken',
  'RequestTimeTooSkewed',
  'StoreAway',
  'TargetFull',
  'TargetReadOnly',
]);

/** Returns whether an error ends the whole transfer. */
export const isFatal = ({ code }: S3Error): boolean => FATAL_CODES.has(code);

/**
 * Returns whether the error may concern one request only, if others succeeded: an error page during a deployment, or a key that a proxy
 * rewrites.
 */
export const mayConcernOneRequest = ({ code, status }: S3Error): boolean =>
  (code === 'NotS3' && status > 0) || code === 'SignatureDoesNotMatch';

/**
 * Returns whether the store refuses this kind of request to valid credentials: credentials that may write may not read, and some stores
 * cannot list parts. Stores report wrong credentials with other codes.
 */
export function isForbidden(error: unknown): boolean {
  const { status, code } = toS3Error(error);
  return code === 'AccessDenied' || status === 405 || status === 501;
}

/** Ignores a refusal, in the `catch` of a request whose response would save work and is not needed. @throws the error if it is not `isForbidden` */
export function ignoreForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}
