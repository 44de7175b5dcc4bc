import { describe, expect, it } from 'vitest';
import { formatDisposition, parseDispositionName } from '../../src/protocol/content-disposition.js';

describe('a Content-Disposition header', () => {
  it('contains any file name encoded', () => {
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
  ])('states a file name in %s', (header, name) => expect(parseDispositionName(header)).toBe(name));

  // With backtracking none of these would end.
  it.each([`x=a${' '.repeat(2e6)}"`, `x=${' '.repeat(2e6)}"`, `x${' '.repeat(2e6)}y`, 'a '.repeat(1e6), ';'.repeat(1e6)])(
    'is parsed in linear time',
    (rest) => expect(parseDispositionName(`attachment; ${rest}`)).toBe(undefined),
  );
});
