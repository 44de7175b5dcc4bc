import { describe, expect, it } from 'vitest';
import { formatDigest, parseDigest } from '../../src/protocol/checksums/repr-digest.js';
import { formatDisposition, parseDispositionName } from '../../src/protocol/content-disposition.js';
import { getExtension, hasAllowedExtension, normalizeExtension } from '../../src/protocol/extensions.js';
import { toSafeFileName, addSuffix } from '../../src/protocol/file-names.js';
import { findPathProblem, utf8Length } from '../../src/protocol/paths.js';
import { parseSize } from '../../src/protocol/sizes.js';

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

describe('header values', () => {
  it('contain any file name encoded', () => {
    const name = 'a"b\\c\r\nSet-Cookie: x=1; é🎉.pdf';
    const header = formatDisposition('attachment', name);
    expect(header).toMatch(/^[\u0020-\u007e]+$/);
    expect(parseDispositionName(header)).toBe(name);
    expect(formatDisposition('inline', 'cv.pdf')).toBe('inline; filename="cv.pdf"');
    expect(formatDisposition('inline', 'a\ud800.pdf')).toBe(`inline; filename="a_.pdf"; filename*=UTF-8''a%EF%BF%BD.pdf`);
  });
  it.each([
    ['attachment; filename="x; name=y.txt"', 'x; name=y.txt'],
    [`attachment; filename="x; filename*=UTF-8''evil.exe"`, "x; filename*=UTF-8''evil.exe"],
    [`attachment; filename="plain.txt"; filename*=UTF-8''%C3%A9.txt`, 'é.txt'],
    ['attachment;FileName = "a \\"b\\".txt" ; name=x', 'a "b".txt'],
    ['attachment; filename=my file.txt ;name=x', 'my file.txt'],
    ['attachment; filename=a.txt; filename=b.txt', 'a.txt'],
    ["attachment; filename*=UTF-8''%ff", undefined],
    ['attachment; filename="never closed; name=x', undefined],
    ['attachment', undefined],
    ['filename=a.txt', undefined],
    ['attachment;; filename=x.txt', 'x.txt'],
    ['attachment; foo; filename=x.txt', 'x.txt'],
    ['attachment; filename = two words.txt ; x=1', 'two words.txt'],
  ])('contain a file name that is read from %s', (header, name) => expect(parseDispositionName(header)).toBe(name));

  // With backtracking none of these would end.
  it.each([`x=a${' '.repeat(2e6)}"`, `x=${' '.repeat(2e6)}"`, `x${' '.repeat(2e6)}y`, 'a '.repeat(1e6), ';'.repeat(1e6)])(
    'are parsed in linear time',
    (rest) => expect(parseDispositionName(`attachment; ${rest}`)).toBe(undefined),
  );
  it('contain digests in the format of RFC 9530', () => {
    const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(formatDigest(hex)).toBe('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
    expect(parseDigest(`sha-512=:AAAA:, ${formatDigest(hex)}`)).toBe(hex);
    expect(parseDigest('sha-256=abc')).toBeNull();
    expect(parseDigest('sha-256=:AAAA:')).toBeNull();
    expect(parseDigest('unixsum=:AAAA:')).toBeUndefined();
  });
});

describe('parsing a size', () => {
  it('accepts decimal and binary units', () => {
    expect(parseSize('10MB')).toBe(10_000_000);
    expect(parseSize(' 1.5 MiB ')).toBe(1_572_864);
    expect(parseSize('42')).toBe(42);
    expect(parseSize('10 apples')).toBeUndefined();
    expect(parseSize('-1')).toBeUndefined();
  });
});
