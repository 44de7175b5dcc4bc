import { describe, expect, it } from 'vitest';
import { parseRateLimits } from '../../server/service/identity/limits/limits.js';
import { dayOf, minuteOf } from '../../server/service/identity/limits/windows.js';

const iso = ({ start, end }: { start: number; end: number }) => [new Date(start).toISOString(), new Date(end).toISOString()];

describe('a window of a rate limit', () => {
  it('of a day ends at midnight in America/Fortaleza', () => {
    expect(iso(dayOf(Date.parse('2026-11-21T02:59:59.999Z')))).toEqual(['2026-11-20T03:00:00.000Z', '2026-11-21T03:00:00.000Z']);
    expect(iso(dayOf(Date.parse('2026-11-21T03:00:00.000Z')))).toEqual(['2026-11-21T03:00:00.000Z', '2026-11-22T03:00:00.000Z']);
  });

  it('of a day follows the clock changes of the time zone', () => {
    // Summer time began at midnight of 8 October 2000 and ended at midnight of 22 October 2000.
    expect(iso(dayOf(Date.parse('2000-10-07T12:00:00Z')))).toEqual(['2000-10-07T03:00:00.000Z', '2000-10-08T03:00:00.000Z']);
    expect(iso(dayOf(Date.parse('2000-10-09T12:00:00Z')))).toEqual(['2000-10-09T02:00:00.000Z', '2000-10-10T02:00:00.000Z']);
    const [, end] = iso(dayOf(Date.parse('2000-10-08T12:00:00Z')));
    expect(end).toBe('2000-10-09T02:00:00.000Z');
  });

  it('of a minute is a minute of the clock', () => {
    expect(iso(minuteOf(Date.parse('2026-11-21T02:59:59.999Z')))).toEqual([
      '2026-11-21T02:59:00.000Z',
      '2026-11-21T03:00:00.000Z',
    ]);
  });
});

describe('RATE_LIMITS', () => {
  it('accepts off and single limits', () => {
    expect(parseRateLimits('off')).toEqual({ route: null, minute: null, day: null, s3: null });
    expect(parseRateLimits('minute=100, day=off')).toEqual({ minute: 100, day: null });
  });

  it.each(['', 'on', 'minute', 'minute=0', 'minute=-1', 'hour=5', 'minute=1;day=2'])('rejects %j', (text) => {
    expect(() => parseRateLimits(text)).toThrow(/rate limits must be/);
  });
});
