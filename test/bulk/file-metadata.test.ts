import { describe, expect, it } from 'vitest';
import { formatMtime, parseMode, parseMtime, sameTime } from '../../src/bulk/s3/file-metadata.js';

describe('file metadata', () => {
  it.each([
    ['0100644', 0o644, 'this product and rclone'],
    ['100600', 0o600, 'this product and rclone'],
    ['755', 0o755, 'short octal'],
    ['33152', 0o600, 'decimal, as s3fs writes it'],
    ['33206', 0o666, 'decimal, as s3fs writes it'],
    ['33188', 0o644, 'decimal, as s3fs writes it'],
    ['040755', undefined, 'a directory'],
    ['16877', undefined, 'a directory in decimal'],
    ['0120777', undefined, 'a symbolic link'],
    ['41471', undefined, 'a symbolic link in decimal'],
    ['488', undefined, 'neither octal nor a file type'],
    ['9', undefined, 'no octal digit'],
    ['', undefined, 'empty'],
    ['rw', undefined, 'no number'],
  ])('reads the mode %s as %s (%s)', (text, mode, _format) => {
    const parsed = parseMode(text);
    expect(parsed && parsed & 0o777).toBe(mode);
  });

  it('writes times to the nanosecond, as rclone does', () => {
    expect(formatMtime(1_700_000_000_123_456_789n)).toBe('1700000000.123456789');
    for (const ns of [0n, 1n, -1_500_000_000n, 1_700_000_000_000_000_001n]) expect(parseMtime(formatMtime(ns))).toBe(ns);
    expect(parseMtime('1700000000.5')).toBe(1_700_000_000_500_000_000n);
    expect([parseMtime('x'), parseMtime(undefined), parseMtime('1e9')]).toEqual([undefined, undefined, undefined]);
    expect(sameTime(1_000n, 2_500n)).toBe(true);
    expect(sameTime(1_000n, 9_000n)).toBe(false);
  });
});
