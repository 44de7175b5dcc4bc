import { BlobError, isRetryable } from '../protocol/errors.js';
import type { FileRecord } from '../protocol/types.js';
import { statedDelay } from './retry.js';
import type { RetryPolicy } from './retry.js';

/** What became of one file of a request. */
export type Outcome = FileRecord | BlobError;

/** What follows from it: stored; again at once with another token, or because a neighbour ended the request; a later try. */
export type Verdict = 'done' | 'again' | 'renew' | 'offline' | 'later' | 'fail';

/** Refusals of its token after which a file is given up: a supply that hands out dead tokens must not go on for ever. */
const REFUSALS = 3;

export interface Circumstances {
  online: boolean;
  policy: RetryPolicy;
  /** Failed tries and refused tokens of this file so far. */
  failures: number;
  refusals: number;
}

/** What to do after an outcome. Only what can succeed is tried again; a 4xx that says no never. */
export function verdict(outcome: Outcome, { online, policy, failures, refusals }: Circumstances): Verdict {
  if (!(outcome instanceof BlobError)) return 'done';
  if (outcome.code === 'ABORTED') return 'again';
  if (outcome.code === 'BLOB_UPLOAD_TOKEN_INVALID') return refusals + 1 < REFUSALS ? 'renew' : 'fail';
  if (!isRetryable(outcome)) return 'fail';
  if (outcome.status === 0 && !online) return 'offline';
  // A twin that nobody sends any more is ended by the service only after a while.
  const tries = outcome.code === 'OPERATION_IN_PROGRESS' ? policy.tries * 4 : policy.tries;
  if (failures + 1 >= tries || (statedDelay(outcome) ?? 0) * 1000 > policy.patience) return 'fail';
  return 'later';
}

const MAY_PASS = new Set<string>(['TOKEN_SUPPLY_FAILED', 'BLOB_UPLOAD_TOKEN_INVALID', 'STORAGE_FULL', 'CHECKSUM_MISMATCH']);

/** Whether the person may ask for another try: the cause can go away without another file being chosen. */
export const mayPass = (error: BlobError): boolean => isRetryable(error) || MAY_PASS.has(error.code);

/** A transport may come from another script, whose class of the same name is another one. */
export function asBlobError(cause: unknown): BlobError {
  if (cause instanceof BlobError) return cause;
  const { name, code, message, status, details } = Object(cause) as BlobError;
  return name === 'BlobError'
    ? new BlobError(code, message, { status, details, cause })
    : new BlobError('NETWORK_ERROR', message ?? String(cause), { cause });
}
