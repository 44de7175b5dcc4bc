import { describe, expect, it } from 'vitest';
import { getExtension, hasAllowedExtension, normalizeExtension } from '../../src/protocol/extensions.js';

describe('file extensions', () => {
  it('follow the last dot in lower case, and an allowed double extension matches whole', () => {
    expect(getExtension('a.b.PDF')).toBe('pdf');
    expect(getExtension('.env')).toBe('');
    expect(hasAllowedExtension('X.TAR.GZ', ['tar.gz'])).toBe(true);
    expect(hasAllowedExtension('x.gz', ['tar.gz'])).toBe(false);
    expect(hasAllowedExtension('x.tar.gz', ['gz'])).toBe(true);
    expect(hasAllowedExtension('evil.pdf.exe', ['pdf'])).toBe(false);
    expect(hasAllowedExtension('pdf', ['pdf'])).toBe(false);
  });
  it('are normalized from texts with or without a dot, in any letter case', () => {
    expect(normalizeExtension('.PDF')).toBe('pdf');
    expect(normalizeExtension('a/b')).toBeUndefined();
    expect(normalizeExtension('')).toBeUndefined();
  });
});
