import { isRetryable, retryAfterSeconds } from '../../protocol/error-response.js';
import { BlobError } from '../../protocol/errors.js';
import { SEND_AGAIN } from '../outcome.js';
import type { Outcome } from '../outcome.js';
import type { RetryPolicy } from '../retry-policy.js';

/** The next step of a file after a request. */
export type RetryDecision =
  /** The file is stored. */
  | 'stored'
  /** Another file ended the request. The file goes to the front of the queue. */
  | 'send-again'
  /** The service refused the token. The file goes to the front of the queue and gets another one. */
  | 'replace-token'
  /** The browser is offline. The file waits for the connection, and the attempt does not count. */
  | 'wait-for-connection'
  /** The file waits for its next attempt, and the attempt counts. */
  | 'retry'
  /**
   * The service is out of reach or asks for a pause, or the request for a token failed. The file waits for its next attempt, and the
   * attempt does not count.
   */
  | 'retry-after-outage'
  /** The file fails. A person may retry it. */
  | 'fail';

/** Refused tokens after which a file fails, so that a broken token supply is not asked forever. */
export const MAX_TOKEN_REFUSALS = 3;

/** Statuses of an outage: no response, rate limiting, and errors of a proxy in front of the service. */
const OUTAGE_STATUSES = new Set([0, 429, 502, 503, 504]);

/**
 * Multiplies the allowed attempts while an earlier request of the file still runs. The service ends that request only after its own
 * time limit.
 */
const IN_PROGRESS_FACTOR = 4;

/** State of a file and its queue on which the decision depends. */
export interface RetryContext {
  isOnline: boolean;
  policy: RetryPolicy;
  /** The request for a token failed, not the upload. */
  isTokenRequest: boolean;
  /** Failed attempts of this file so far, without those of an outage. */
  failures: number;
  /** Tokens that the service refused for this file so far. */
  tokenRefusals: number;
  /** Milliseconds that the file waited between attempts so far. */
  waitedMs: number;
}

/**
 * Decides the next step of a file after a request. Errors that can pass are retried: see `isRetryable`, and refused tokens up to
 * `MAX_TOKEN_REFUSALS`. Every other refusal fails the file.
 */
export function decideRetry(outcome: Outcome, context: RetryContext): RetryDecision {
  const { isOnline, policy, isTokenRequest, failures, tokenRefusals, waitedMs } = context;
  if (!(outcome instanceof BlobError)) return 'stored';
  if (outcome === SEND_AGAIN) return 'send-again';
  if (outcome.code === 'BLOB_UPLOAD_TOKEN_INVALID') return tokenRefusals + 1 < MAX_TOKEN_REFUSALS ? 'replace-token' : 'fail';
  if (!isRetryable(outcome)) return 'fail';
  if (outcome.status === 0 && !isOnline) return 'wait-for-connection';
  if ((retryAfterSeconds(outcome) ?? 0) * 1000 > policy.maxWaitMs) return 'fail';
  if (isTokenRequest || isOutage(outcome)) return waitedMs < policy.maxWaitMs ? 'retry-after-outage' : 'fail';
  const maxAttempts = outcome.code === 'OPERATION_IN_PROGRESS' ? policy.maxAttempts * IN_PROGRESS_FACTOR : policy.maxAttempts;
  return failures + 1 < maxAttempts ? 'retry' : 'fail';
}

/** A chunk of the script that does not load is no outage: a new deployment of the site may lack it. */
const isOutage = ({ status, details }: BlobError): boolean => OUTAGE_STATUSES.has(status) && !details['part'];

/** Errors of the file itself. Another attempt would end the same way. */
const FINAL_CODES = new Set<string>([
  'BLOB_FILE_TOO_LARGE',
  'BLOCKED_FILE_TYPE',
  'BLOB_UPLOAD_TOKEN_CONSTRAINT',
  'FETCH_DISABLED',
  'FILE_CHANGED',
  'FILE_EXISTS',
  'FILE_UNREADABLE',
  'INVALID_PATH',
  'NO_FILE_UPLOADED',
]);

/** Returns whether a person may retry the file: the cause can pass without choosing another file or link. */
export const canRetryLater = (error: BlobError): boolean =>
  !FINAL_CODES.has(error.code) && error.status !== 413 && !isRefusedLink(error);

/** Returns whether the service does not request the address of a link, because it is no public one. */
const isRefusedLink = ({ code, details }: BlobError): boolean =>
  (code === 'FETCH_FAILED' && details['reason'] === 'address') || (code === 'VALIDATION_ERROR' && details['path'] === 'url');
