import { describe, expect, it } from 'vitest';
import { AGAIN, mayPass, verdict } from '../../src/queue/retry-decision.js';
import { delayBefore, RETRY } from '../../src/queue/retry-delay.js';
import { BlobError } from '../../src/protocol/errors.js';
import type { ErrorCode } from '../../src/protocol/errors.js';

const circumstances = { online: true, policy: RETRY, asking: false, failures: 0, refusals: 0, waited: 0 };
const after = (code: ErrorCode, status?: number, details = {}) =>
  verdict(new BlobError(code, code, { ...(status !== undefined && { status }), details }), circumstances);

describe('what follows from an outcome', () => {
  it('is another try for what can pass, and for nothing else', () => {
    for (const [code, status] of [
      ['UPLOAD_TOO_SLOW', 408],
      ['UNEXPECTED_ANSWER', 425],
      ['INTERNAL_SERVER_ERROR', 500],
      ['OPERATION_IN_PROGRESS', 409],
    ] as const)
      expect(after(code, status), `${code} ${status}`).toBe('later');
    for (const [code, status] of [
      ['NETWORK_ERROR', 0],
      ['STALLED', 0],
      // A limiter's window, whose end over origins is often not to be read.
      ['RATE_LIMIT_EXCEEDED', 429],
      ['UNEXPECTED_ANSWER', 502],
      ['UNEXPECTED_ANSWER', 503],
      ['UNEXPECTED_ANSWER', 504],
    ] as const)
      expect(after(code, status), `${code} ${status}`).toBe('away');
    expect(after('NETWORK_ERROR', 0, { part: 'sniff' }), 'a part of the script, which may be gone for good').toBe('later');
    for (const code of [
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
    ] as const)
      expect(after(code), code).toBe('fail');
  });

  it('spends no try while offline, nor on a neighbour that ended the request', () => {
    const lost = new BlobError('NETWORK_ERROR', '');
    expect(verdict(lost, { ...circumstances, online: false, failures: 99 })).toBe('offline');
    expect(verdict(AGAIN, { ...circumstances, failures: 99 })).toBe('again');
    // Who says so of its own would be asked for ever.
    expect(after('ABORTED')).toBe('fail');
  });

  it('is another token after a refused one, but not for ever', () => {
    const refused = new BlobError('BLOB_UPLOAD_TOKEN_INVALID', '');
    expect(verdict(refused, circumstances)).toBe('renew');
    expect(verdict(refused, { ...circumstances, refusals: 2 })).toBe('fail');
    expect(mayPass(refused)).toBe(true);
  });

  it('is the end after the last try, or when the service asks for more patience than a person has', () => {
    const ended = (code: ErrorCode, more: object) => verdict(new BlobError(code, ''), { ...circumstances, ...more });
    expect(ended('INTERNAL_SERVER_ERROR', { failures: RETRY.tries - 1 })).toBe('fail');
    expect(ended('NETWORK_ERROR', { failures: 99, waited: RETRY.patience - 1 })).toBe('away');
    expect(ended('NETWORK_ERROR', { waited: RETRY.patience })).toBe('fail');
    expect(ended('INTERNAL_SERVER_ERROR', { asking: true, failures: 99 })).toBe('away');
    expect(after('DAILY_QUOTA_EXCEEDED', 429, { retry_after: 20_000 })).toBe('fail');
    expect(after('RATE_LIMIT_EXCEEDED', 429, { retry_after: 20 })).toBe('away');
  });
});

describe('the delay before a try', () => {
  it('doubles up to its cap, anywhere between nothing and that', () => {
    const longest = (failures: number) => delayBefore(failures, RETRY, undefined, () => 1);
    expect([1, 2, 3, 20].map(longest)).toEqual([500, 1000, 2000, RETRY.cap]);
    expect(delayBefore(20, RETRY, undefined, () => 0)).toBe(0);
  });

  it('is never shorter than what the service asked for', () => {
    expect(delayBefore(1, RETRY, 7, () => 0)).toBe(7000);
    expect(delayBefore(1, RETRY, 7, () => 1)).toBe(7500);
  });
});
