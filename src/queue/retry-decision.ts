import { BlobError, isRetryable, retryAfterSeconds } from '../protocol/errors.js';
import type { FileRecord } from '../protocol/types.js';
import type { RetryPolicy } from './retry-delay.js';

/** What became of one file of a request. */
export type Outcome = FileRecord | BlobError;

/**
 * What follows from it: stored; again at once with another token, or because a neighbour ended the request;
 * a later try, which is one of its own or, while the service cannot be reached, one that costs none.
 */
export type Verdict = 'done' | 'again' | 'renew' | 'offline' | 'later' | 'away' | 'fail';

/** Refusals of its token after which a file is given up: a supply that hands out dead tokens must not go on for ever. */
export const REFUSALS = 3;

/** No answer, one of what stands before the service, or one that asks for less: a limiter's window passes as an outage does. */
const AWAY = new Set([0, 429, 502, 503, 504]);

/** Ends a request for the sake of another file in it, or of another way: those that are left go again at once. */
export const AGAIN = new BlobError('ABORTED', 'The request was ended.');

export interface Circumstances {
  online: boolean;
  policy: RetryPolicy;
  /** It was a token that was asked for, not the upload. */
  asking: boolean;
  /** Failed tries and refused tokens of this file so far. */
  failures: number;
  refusals: number;
  /** Milliseconds it waited for later tries. */
  waited: number;
}

/** What to do after an outcome. Only what can succeed is tried again; a 4xx that says no never. */
export function verdict(outcome: Outcome, { online, policy, asking, failures, refusals, waited }: Circumstances): Verdict {
  if (!(outcome instanceof BlobError)) return 'done';
  if (outcome === AGAIN) return 'again';
  if (outcome.code === 'BLOB_UPLOAD_TOKEN_INVALID') return refusals + 1 < REFUSALS ? 'renew' : 'fail';
  if (!isRetryable(outcome)) return 'fail';
  if (outcome.status === 0 && !online) return 'offline';
  if ((retryAfterSeconds(outcome) ?? 0) * 1000 > policy.patience) return 'fail';
  // An outage passes by itself, however many tries fall into it; but a part of the script that does not load may be gone for good.
  if (asking || (AWAY.has(outcome.status) && !outcome.details['part'])) return waited < policy.patience ? 'away' : 'fail';
  // A twin that nobody sends any more is ended by the service only after a while.
  const tries = outcome.code === 'OPERATION_IN_PROGRESS' ? policy.tries * 4 : policy.tries;
  return failures + 1 < tries ? 'later' : 'fail';
}

/** Said of the file itself: another try of it would be told the same. */
const FINAL = new Set<string>([
  'BLOB_FILE_TOO_LARGE',
  'BLOCKED_FILE_TYPE',
  'BLOB_UPLOAD_TOKEN_CONSTRAINT',
  'FILE_CHANGED',
  'FILE_EXISTS',
  'FILE_UNREADABLE',
  'INVALID_PATH',
  'NO_FILE_UPLOADED',
]);

/** Whether the person may ask for another try: the cause can go away without another file being chosen. */
export const mayPass = (error: BlobError): boolean => !FINAL.has(error.code) && error.status !== 413;

/** What is thrown without a word of ours stands for an answer that did not come. */
export const asBlobError = (cause: unknown): BlobError =>
  cause instanceof BlobError
    ? cause
    : new BlobError('NETWORK_ERROR', (cause as Error | undefined)?.message ?? String(cause), { cause });
