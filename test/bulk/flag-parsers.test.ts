import { describe, expect, it } from 'vitest';
import { parsePartSize, parseRateFlag, parseSizeFlag } from '../../server/cli/bulk/flag-parsers.js';

const MIB = 1024 * 1024;

describe('sizes and rates in flags', () => {
  it.each([
    ['sizes', parseSizeFlag],
    ['part sizes', parsePartSize],
    ['rates', parseRateFlag],
  ])('accept a plain size as value of %s', (_kind, parse) => {
    expect(parse('16MiB')).toBe(16 * MIB);
  });

  it('accept a rate as bandwidth limit', () => {
    expect(parseRateFlag('16MiB/s')).toBe(16 * MIB);
  });

  it.each([
    ['sizes', parseSizeFlag],
    ['part sizes', parsePartSize],
  ])('reject a rate as value of %s', (_kind, parse) => {
    expect(() => parse('16MiB/s')).toThrow('It must be a size such as 16MiB');
  });
});
