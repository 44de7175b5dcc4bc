import { describe, expect, it } from 'vitest';
import { addSuffix, toSafeFileName } from '../../src/protocol/file-names.js';
import { findPathProblem, utf8Length } from '../../src/protocol/paths.js';

describe('the name of a person’s file', () => {
  it.each([
    ['cv.pdf', 'cv.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\cv.pdf', 'cv.pdf'],
    ['a:b?.txt', 'a-b?.txt'],
    ['invoice\u202Egpj.exe', 'invoice-gpj.exe'],
    ['e\u0301.txt', 'é.txt'],
    ['trailing. . ', 'trailing'],
    ['', 'file'],
    ['..', 'file'],
    ['\ud83d.txt', '-.txt'],
    ['con.txt', '-con.txt'],
  ])('%j is stored as %j', (name, safe) => expect(toSafeFileName(name)).toBe(safe));

  it('becomes a valid segment, however long or strange it is', () => {
    for (const name of [
      `${'é'.repeat(300)}.tar.gz`,
      '🎉'.repeat(200),
      `${'a'.repeat(254)}. b`,
      `x.${'y'.repeat(400)}`,
      '\u0000\u0001',
    ]) {
      for (const segment of [toSafeFileName(name), addSuffix(name, 'k3J9sXw0aBcD')]) {
        expect(findPathProblem(segment)).toBeUndefined();
        expect(utf8Length(segment)).toBeLessThanOrEqual(255);
      }
    }
  });

  it('becomes a valid segment if shortening leaves dots or spaces at its end', () => {
    for (const name of [
      'a.\u00a0',
      'a.\u00a0 . ',
      `a.${'é'.repeat(15)} ${'é'.repeat(15)}`,
      `${'a'.repeat(300)}.${'é'.repeat(31)} `,
      `con.${'a'.repeat(250)}.b`,
      `.${' '.repeat(300)}x`,
      `${'. '.repeat(200)}.x`,
      `${' '.repeat(5000)}a`,
    ])
      for (const segment of [toSafeFileName(name), toSafeFileName(name, 40), addSuffix(name, 'k3J9sXw0aBcD')])
        expect([name, findPathProblem(segment)]).toEqual([name, undefined]);
  });

  it('keeps its start and its extension, however long it is', () => {
    expect(toSafeFileName(`report${'-'.repeat(100_000)}.tar.gz`)).toMatch(/^report-+\.tar\.gz$/);
    expect(toSafeFileName(`cv.pdf${'. '.repeat(100_000)}`)).toBe('cv.pdf');
  });

  // Each name is processed 100 times. With quadratic work the test would exceed its time limit.
  it.each([
    ['dots', `${'.'.repeat(100_000)}x`],
    ['spaces', `a${' '.repeat(100_000)}b`],
    ['combining marks in the wrong order', `a${'\u0327\u0323\u0301'.repeat(30_000)}`],
    ['slashes', '/'.repeat(100_000)],
    ['extensions', '.tar'.repeat(30_000)],
  ])('takes linear time with many %s', (_, name) => {
    for (let i = 0; i < 100; i++) expect(findPathProblem(addSuffix(name, 'k3J9sXw0aBcD'))).toBeUndefined();
  });

  it('gets its suffix before the whole extension', () => {
    expect(addSuffix('backup.tar.gz', 'abc')).toBe('backup-abc.tar.gz');
    expect(addSuffix('README', 'abc')).toBe('README-abc');
    expect(addSuffix('.env', 'abc')).toBe('.env-abc');
  });
});
