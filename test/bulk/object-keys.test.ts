import { describe, expect, it } from 'vitest';
import { compareKeys, encodeKey, keyProblem, localPath, windowsProblem } from '../../src/bulk/s3/object-keys.js';

describe('object keys', () => {
  it('sort by UTF-8 bytes, as stores sort them', () => {
    const names = ['a', 'a-b', 'a/b', 'a0', '\uFF5E', '\u{1F600}', 'caf\u00E9', 'cafe\u0301', 'B', '', 'a\u0000'];
    const bytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect([...names].sort(compareKeys)).toEqual(bytes);
  });

  it('never become a path outside the target, or one that Windows cannot store', () => {
    for (const key of ['..', '../a', 'a/../b', 'a/..', './a', '/a', 'a//b', '', 'a\0b'])
      expect(localPath(key)).toHaveProperty('problem');
    for (const key of ['...', 'a..b', '.hidden', 'a/b ', 'a\\..\\b']) expect(localPath(key)).toEqual({ path: key });
    for (const path of ['a:b', 'con', 'COM1.txt', 'x/nul', 'dot.', 'a\\..\\b', 'q?']) expect(windowsProblem(path)).toBeDefined();
    expect(windowsProblem('fine/console.txt')).toBeUndefined();
  });

  it('are percent-encoded byte by byte, and refused if a store could not return them', () => {
    expect(encodeKey("a b/\u00E9!'()*+&~.txt")).toBe('a%20b/%C3%A9%21%27%28%29%2A%2B%26~.txt');
    expect(keyProblem('\u{1F600}'.repeat(256))).toBeUndefined();
    expect(keyProblem(`${'\u{1F600}'.repeat(256)}x`)).toContain('1024');
    expect(keyProblem('a\uD800')).toContain('Unicode');
  });
});
