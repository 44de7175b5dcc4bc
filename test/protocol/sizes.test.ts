import { describe, expect, it } from 'vitest';
import { parseSize } from '../../src/protocol/sizes.js';

describe('parsing a size', () => {
  it('accepts decimal and binary units', () => {
    expect(parseSize('10MB')).toBe(10_000_000);
    expect(parseSize(' 1.5 MiB ')).toBe(1_572_864);
    expect(parseSize('42')).toBe(42);
    expect(parseSize('10 apples')).toBeUndefined();
    expect(parseSize('-1')).toBeUndefined();
  });
});
