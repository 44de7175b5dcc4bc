import { describe, expect, it } from 'vitest';
import { captureName, formatDuration } from '../../src/element/sources/capture-name.js';

describe('the name of a capture', () => {
  it('states day and time, with two digits each', () => {
    expect(captureName('Photo', 'jpg', new Date(2026, 0, 2, 3, 4, 5))).toBe('Photo 2026-01-02 03.04.05.jpg');
  });
});

describe('the duration of a recording', () => {
  it.each([
    [0, '0:00'],
    [7.9, '0:07'],
    [600, '10:00'],
    [3723, '1:02:03'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
