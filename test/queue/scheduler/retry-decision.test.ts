import { describe, expect, it } from 'vitest';
import { SEND_AGAIN } from '../../../src/queue/outcome.js';
import { canRetryLater, decideRetry } from '../../../src/queue/scheduler/retry-decision.js';
import type { RetryContext } from '../../../src/queue/scheduler/retry-decision.js';
import { backoffDelay } from '../../../src/protocol/retry.js';
import { DEFAULT_RETRY } from '../../../src/queue/retry-policy.js';
import { BlobError } from '../../../src/protocol/errors.js';
import type { ErrorCode } from '../../../src/protocol/errors.js';

const context: RetryContext = {
  isOnline: true,
  policy: DEFAULT_RETRY,
  isTokenRequest: false,
  failures: 0,
  tokenRefusals: 0,
  waitedMs: 0,
};

const decideAfter = (code: ErrorCode, status?: number, details = {}) =>
  decideRetry(new BlobError(code, code, { ...(status !== undefined && { status }), details }), context);

describe('the decision to retry a file', () => {
  it.each([
    ['UPLOAD_TOO_SLOW', 408],
    ['UNEXPECTED_ANSWER', 425],
    ['INTERNAL_SERVER_ERROR', 500],
    ['OPERATION_IN_PROGRESS', 409],
  ] as const)('counts an attempt after %s (%i)', (code, status) => {
    expect(decideAfter(code, status)).toBe('retry');
  });

  it.each([
    ['NETWORK_ERROR', 0],
    ['STALLED', 0],
    // Across origins a page often cannot read when the limit ends.
    ['RATE_LIMIT_EXCEEDED', 429],
    ['UNEXPECTED_ANSWER', 502],
    ['UNEXPECTED_ANSWER', 503],
    ['UNEXPECTED_ANSWER', 504],
  ] as const)('counts no attempt after %s (%i), which is an outage', (code, status) => {
    expect(decideAfter(code, status)).toBe('retry-after-outage');
  });

  it('counts an attempt after a chunk of the script failed to load, because a deployment may have removed it', () => {
    expect(decideAfter('NETWORK_ERROR', 0, { part: 'findTypeMismatch' })).toBe('retry');
  });

  it.each([
    'VALIDATION_ERROR',
    'INVALID_PATH',
    'AUTH_TOKEN_MISSING',
    'BLOB_UPLOAD_TOKEN_CONSTRAINT',
    'FILE_EXISTS',
    'IDEMPOTENCY_KEY_REUSED',
    'BLOB_FILE_TOO_LARGE',
    'BLOCKED_FILE_TYPE',
    'CHECKSUM_MISMATCH',
    'STORAGE_FULL',
    'FILE_UNREADABLE',
    'FILE_CHANGED',
    'TOKEN_SUPPLY_FAILED',
  ] as const)('fails the file after %s', (code) => {
    expect(decideAfter(code)).toBe('fail');
  });

  it('counts no attempt while the browser is offline', () => {
    const error = new BlobError('NETWORK_ERROR', '');
    expect(decideRetry(error, { ...context, isOnline: false, failures: 99 })).toBe('wait-for-connection');
  });

  it('sends a file again whose request another file ended', () => {
    expect(decideRetry(SEND_AGAIN, { ...context, failures: 99 })).toBe('send-again');
  });

  it('fails a file whose transport reports ABORTED by itself', () => {
    expect(decideAfter('ABORTED')).toBe('fail');
  });

  it('replaces a refused token twice, then fails the file', () => {
    const refused = new BlobError('BLOB_UPLOAD_TOKEN_INVALID', '');
    expect(decideRetry(refused, context)).toBe('replace-token');
    expect(decideRetry(refused, { ...context, tokenRefusals: 2 })).toBe('fail');
  });

  it('lets a person retry a file whose tokens were refused', () => {
    expect(canRetryLater(new BlobError('BLOB_UPLOAD_TOKEN_INVALID', ''))).toBe(true);
  });

  it('lets no person retry a link that leads to no public address', () => {
    const canRetry = (code: ErrorCode, details: Record<string, unknown>) => canRetryLater(new BlobError(code, '', { details }));
    expect(canRetry('FETCH_FAILED', { reason: 'address' })).toBe(false);
    expect(canRetry('VALIDATION_ERROR', { path: 'url' })).toBe(false);
    expect(canRetry('FETCH_FAILED', { reason: 'connection' })).toBe(true);
    expect(canRetry('VALIDATION_ERROR', { path: 'transport' })).toBe(true);
  });

  it('fails the file after the last attempt', () => {
    const error = new BlobError('INTERNAL_SERVER_ERROR', '');
    expect(decideRetry(error, { ...context, failures: DEFAULT_RETRY.maxAttempts - 1 })).toBe('fail');
  });

  it('waits for a service out of reach until the patience ends', () => {
    const error = new BlobError('NETWORK_ERROR', '');
    expect(decideRetry(error, { ...context, failures: 99, waitedMs: DEFAULT_RETRY.maxWaitMs - 1 })).toBe('retry-after-outage');
    expect(decideRetry(error, { ...context, waitedMs: DEFAULT_RETRY.maxWaitMs })).toBe('fail');
  });

  it('counts no attempt of a failed token request', () => {
    const error = new BlobError('INTERNAL_SERVER_ERROR', '');
    expect(decideRetry(error, { ...context, isTokenRequest: true, failures: 99 })).toBe('retry-after-outage');
  });

  it('fails the file if the service asks for a longer pause than the patience', () => {
    expect(decideAfter('DAILY_QUOTA_EXCEEDED', 429, { retry_after: 20_000 })).toBe('fail');
    expect(decideAfter('RATE_LIMIT_EXCEEDED', 429, { retry_after: 20 })).toBe('retry-after-outage');
  });
});

describe('the delay before an attempt', () => {
  it('doubles up to its maximum, with full jitter', () => {
    const longest = (failures: number) => backoffDelay(failures, DEFAULT_RETRY, undefined, () => 1);
    expect([1, 2, 3, 20].map(longest)).toEqual([500, 1000, 2000, DEFAULT_RETRY.maxDelayMs]);
    expect(backoffDelay(20, DEFAULT_RETRY, undefined, () => 0)).toBe(0);
  });

  it('is never shorter than the service asked for', () => {
    expect(backoffDelay(1, DEFAULT_RETRY, 7, () => 0)).toBe(7000);
    expect(backoffDelay(1, DEFAULT_RETRY, 7, () => 1)).toBe(7500);
  });
});
