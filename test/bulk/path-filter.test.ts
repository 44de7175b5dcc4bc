import { describe, expect, it } from 'vitest';
import { makeFilter } from '../../src/bulk/list/path-filter.js';
import { compileGlob } from '../../src/bulk/list/glob.js';

describe('include and exclude patterns', () => {
  it('select a path by the last pattern that matches', () => {
    const isIncluded = makeFilter([
      { include: false, pattern: 'node_modules/' },
      { include: false, pattern: '*.{log,tmp}' },
      { include: true, pattern: 'keep.log' },
      { include: false, pattern: 'top/*/deep' },
    ]);
    const paths = ['a', 'x/node_modules/y/z', 'a.log', 'd/b.tmp', 'd/keep.log', 'top/1/deep', 'top/1/2/deep', 'z/top/1/deep'];
    expect(paths.filter(isIncluded)).toEqual(['a', 'd/keep.log', 'top/1/2/deep', 'z/top/1/deep']);
    expect(['a.jpg', 'b.png', 'c/d.jpg'].filter(makeFilter([{ include: true, pattern: '*.jpg' }]))).toEqual(['a.jpg', 'c/d.jpg']);
    expect(isIncluded.coversAll?.('x/node_modules')).toBe(false);
  });

  const covers = (...patterns: string[]) =>
    makeFilter(patterns.map((pattern) => ({ include: pattern.startsWith('+'), pattern: pattern.slice(1) }))).coversAll?.('d');

  it('tell whether they exclude everything in a directory', () => {
    expect([covers('-d/'), covers('-d/**'), covers('+*.jpg', '-d/')]).toEqual([true, true, true]);
    expect([covers(), covers('+*.jpg'), covers('-d/*'), covers('-d/', '+*.jpg')]).toEqual([undefined, false, false, false]);
    expect([covers('-d'), covers('-*'), covers('-d', '+d/x')]).toEqual([true, true, false]);
  });

  it('match everything below a directory, and only the top level with a leading slash', () => {
    const pathsWithout = (pattern: string) =>
      ['b', 'b/c', 'a/b', 'a/b/c', 'bb', 'a/bc'].filter(makeFilter([{ include: false, pattern }]));
    expect(pathsWithout('b')).toEqual(['bb', 'a/bc']);
    for (const pattern of ['./b', '/b']) expect(pathsWithout(pattern)).toEqual(['a/b', 'a/b/c', 'bb', 'a/bc']);
    expect(pathsWithout('b/')).toEqual(['b', 'a/b', 'bb', 'a/bc']);
    expect(pathsWithout('a/b')).toEqual(['b', 'b/c', 'bb', 'a/bc']);
    expect(['a', 'b', 'b/c'].filter(makeFilter([{ include: true, pattern: 'b' }]))).toEqual(['b', 'b/c']);
  });

  // With backtracking, each of these keys would take hours.
  it('take linear time for hostile keys', () => {
    const isIncluded = makeFilter([
      { include: false, pattern: '*a*a*a*a*a*b' },
      { include: false, pattern: '**/a/**/a/**/a/**/b' },
    ]);
    for (const key of ['a'.repeat(1024), 'a/'.repeat(512), `${'a'.repeat(500)}/${'a'.repeat(500)}`])
      for (let i = 0; i < 20; i++) expect(isIncluded(key)).toBe(true);
  });

  it('support sets and alternatives, and reject unclosed ones', () => {
    expect(compileGlob('a/**/z').test('a/b/c/z')).toBe(true);
    expect(compileGlob('[!a]?').test('bc')).toBe(true);
    expect(compileGlob('d/a[!x]b').test('d/a/b')).toBe(false);
    expect(() => compileGlob('{a')).toThrow(SyntaxError);
  });
});
