import { describe, expect, it } from 'vitest';
import { formatDigest, parseDigest } from '../../../src/protocol/checksums/repr-digest.js';

describe('a Repr-Digest header', () => {
  it('contains a SHA-256 in the format of RFC 9530', () => {
    const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(formatDigest(hex)).toBe('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
    expect(parseDigest(`sha-512=:AAAA:, ${formatDigest(hex)}`)).toBe(hex);
    expect(parseDigest('sha-256=abc')).toBeNull();
    expect(parseDigest('sha-256=:AAAA:')).toBeNull();
    expect(parseDigest('unixsum=:AAAA:')).toBeUndefined();
  });
});
