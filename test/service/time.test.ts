import { describe, expect, it } from 'vitest';
import { parseTime } from '../../server/service/accounts/time.js';

describe('a time', () => {
  it.each([
    ['2030-01-31T12:00:00Z', Date.UTC(2030, 0, 31, 12)],
    ['2030-01-31T12:00Z', Date.UTC(2030, 0, 31, 12)],
    ['2030-01-31T12:00:00.25+02:00', Date.UTC(2030, 0, 31, 10, 0, 0, 250)],
    ['2032-02-29T00:00:00Z', Date.UTC(2032, 1, 29)],
  ])('reads %s', (text, time) => expect(parseTime(text)).toBe(time));

  it.each([
    '2030-02-31T00:00:00Z',
    '2030-02-29T00:00:00Z',
    '2030-04-31T23:00:00-05:00',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-01-00T00:00:00Z',
    '2030-01-01T25:00:00Z',
    // Whose?
    '2030-01-31T12:00:00',
    '2030-01-31',
    'tomorrow',
    ' 2030-01-31T12:00:00Z',
    '+012030-01-31T12:00:00Z',
  ])('is not %s', (text) => expect(parseTime(text)).toBeUndefined());
});
