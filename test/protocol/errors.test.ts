import { describe, expect, it } from 'vitest';
import { fromErrorBody } from '../../src/protocol/errors.js';

describe('an error answer', () => {
  it('does not speak with the client’s own codes', () => {
    for (const code of ['ABORTED', 'NETWORK_ERROR', 'TOKEN_SUPPLY_FAILED', 'FILE_CHANGED'])
      expect(fromErrorBody(500, { code, message: 'no' })).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 500 });
    expect(fromErrorBody(402, { code: 'NOT_YET_KNOWN', message: 'no' })).toMatchObject({ code: 'NOT_YET_KNOWN', status: 402 });
  });

  it.each([null, undefined, 'text', 7, [], {}, { code: 7 }])('that is none keeps its status: %j', (body) => {
    expect(fromErrorBody(502, body)).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 502, details: {} });
  });

  it('tells how long to wait: in seconds, or until a date by the service’s own clock', () => {
    const wait = (header: string, date?: string) => fromErrorBody(503, undefined, header, date).details['retry_after'];
    expect(wait('7')).toBe(7);
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
    expect(wait('Wed, 21 Oct 2015 07:28:30 GMT', date)).toBe(30);
    expect(wait('Wed, 21 Oct 2015 07:27:30 GMT', date)).toBe(0);
    expect(wait('Wed, 21 Oct 2015 07:28:30 GMT')).toBeUndefined();
    expect(wait('soon', date)).toBeUndefined();
  });
});
