import { toS3Error } from './errors.js';
import type { S3Error } from './errors.js';

const THROTTLES = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'RequestLimitExceeded',
]);
const PASSING = new Set([
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

/** The store asks for less: fewer requests at once and a pause. */
export const isThrottle = (error: S3Error): boolean => error.status === 429 || error.status === 503 || THROTTLES.has(error.code);

/** Whether the same request may succeed later. */
export const isRetryable = (error: S3Error): boolean =>
  isThrottle(error) ||
  PASSING.has(error.code) ||
  // A request that was long on its way; where the store tells no clock, none can be put right.
  (error.code === 'RequestTimeTooSkewed' && error.serverTimeMs !== undefined) ||
  (error.status >= 500 && error.status !== 501 && error.status !== 507);

/** Whether the error shows that the store cannot be reached. A store that throttles can be reached. */
export const isOutage = ({ code, status }: S3Error): boolean =>
  code === 'ConnectionFailed' || code === 'Stalled' || ([502, 503, 504].includes(status) && code !== 'SlowDown');

/** There is no room for more. */
export const isStoreFull = ({ code, status }: S3Error): boolean => code === 'QuotaExceeded' || status === 507;

/** Whether the run as a whole is pointless after this: nothing else in it can succeed either. */
export const isFatal = (error: S3Error): boolean =>
  [
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
  ].includes(error.code);

/**
 * Whether the error may concern one request only, if others succeeded: an error page during a deployment, or a key that a proxy
 * rewrites.
 */
export const mayConcernOneRequest = ({ code, status }: S3Error): boolean =>
  (code === 'NotS3' && status > 0) || code === 'SignatureDoesNotMatch';

/**
 * Whether a question was refused, and not the key that asked: one that may write may not read, and not every store lists parts. A key
 * that is wrong is told of by other codes, and knows nothing.
 */
export function isForbidden(error: unknown): boolean {
  const { status, code } = toS3Error(error);
  return code === 'AccessDenied' || status === 405 || status === 501;
}

/** For `catch`, of a question whose answer saves work and is not needed. */
export function ignoreForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}
