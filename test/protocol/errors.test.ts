import { describe, expect, it } from 'vitest';
import { fromErrorBody } from '../../src/protocol/error-response.js';
import { BlobError } from '../../src/protocol/errors.js';

describe('reading an error response', () => {
  it('refuses the codes that clients create themselves', () => {
    for (const code of ['ABORTED', 'NETWORK_ERROR', 'TOKEN_SUPPLY_FAILED', 'FILE_CHANGED'])
      expect(fromErrorBody(500, { code, message: 'no' })).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 500 });
    expect(fromErrorBody(402, { code: 'NOT_YET_KNOWN', message: 'no' })).toMatchObject({ code: 'NOT_YET_KNOWN', status: 402 });
  });

  it.each([null, undefined, 'text', 7, [], {}, { code: 7 }])('keeps the status if the body is not an error: %j', (body) => {
    expect(fromErrorBody(502, body)).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 502, details: {} });
  });

  it('reads Retry-After in seconds, or as a date compared with the clock of the service', () => {
    const wait = (header: string, date?: string) => fromErrorBody(503, undefined, header, date).details['retry_after'];
    expect(wait('7')).toBe(7);
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
    expect(wait('Wed, 21 Oct 2015 07:28:30 GMT', date)).toBe(30);
    expect(wait('Wed, 21 Oct 2015 07:27:30 GMT', date)).toBe(0);
    expect(wait('Wed, 21 Oct 2015 07:28:30 GMT')).toBeUndefined();
    expect(wait('soon', date)).toBeUndefined();
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'accepts the code %s, although Object.prototype has a property of this name',
    (code) => {
      const body = JSON.parse(`{"code": ${JSON.stringify(code)}, "message": "no"}`) as unknown;
      expect(fromErrorBody(403, body)).toMatchObject({ code, status: 403, message: 'no' });
      expect(new BlobError(code as 'NOT_FOUND', 'no').status).toBe(0);
    },
  );

  it.each([null, undefined, '', ' ', 7, [], { toString: 1 }])('replaces the message %j by its code', (message) => {
    expect(fromErrorBody(403, { code: 'TOKEN_REFUSED', message }).message).toBe('TOKEN_REFUSED');
    expect(new BlobError('TOKEN_REFUSED', message as string).message).toBe(
      typeof message === 'string' ? message : 'TOKEN_REFUSED',
    );
  });

  it('shortens a message of 2 MB and refuses a code of that size', () => {
    const long = 'x'.repeat(2_000_000);
    expect(fromErrorBody(403, { code: 'TOKEN_REFUSED', message: long }).message).toHaveLength(2000);
    expect(fromErrorBody(403, { code: long })).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 403 });
  });

  it.each([null, 7, 'text', [1, 2]])('ignores details that are not an object: %j', (details) => {
    expect(fromErrorBody(403, { code: 'NOT_FOUND', details, path: details }).details).toEqual(
      typeof details === 'string' ? { path: details } : {},
    );
  });
});
