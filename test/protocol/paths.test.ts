import { describe, expect, it } from 'vitest';
import { validatePath, validatePrefix, decodePath, isWithin, findPathProblem } from '../../src/protocol/paths.js';

describe('validating a path', () => {
  it.each([
    ['a/../b', '".." segment'],
    ['./a', '"." segment'],
    ['a//b', 'empty segment'],
    ['/a', 'empty segment'],
    ['a/', 'empty segment'],
    ['', 'is empty'],
    ['a\\b', 'backslash'],
    ['a:b', 'colon'],
    ['a\u0000b', 'control'],
    ['a\u0085b', 'control'],
    ['invoice\u202Egpj.exe', 'bidirectional'],
    ['a\u2066b', 'bidirectional'],
    ['a\ud800b', 'lone surrogate'],
    ['a./b', 'ends in a dot'],
    ['a /b', 'ends in a dot or a space'],
    ['CON', 'device name'],
    ['x/nul.txt', 'device name'],
    ['COM¹', 'device name'],
    ['é'.repeat(128), 'segment over 255 bytes'],
    [Array.from({ length: 9 }, () => 'x'.repeat(120)).join('/'), 'over 1024 bytes'],
  ])('refuses %j: %s', (path, problem) => {
    expect(findPathProblem(path)).toContain(problem);
    expect(() => validatePath(path)).toThrowError(expect.objectContaining({ code: 'INVALID_PATH', status: 400, path: 'path' }));
  });

  it.each(['a', 'a/b.txt', '…/ünïcode 🎉.pdf', '.env', 'console/x', 'é'.repeat(127), '-rf', 'a b/c+d%'])(
    'accepts %j unchanged',
    (path) => {
      expect(validatePath(path)).toBe(path);
    },
  );

  it('decodes once, so that a double-encoded traversal stays a name and a single one is refused', () => {
    expect(decodePath('a/%252e%252e/b')).toBe('a/%2e%2e/b');
    expect(() => decodePath('a/%2e%2e/b')).toThrowError(expect.objectContaining({ code: 'INVALID_PATH' }));
    expect(() => decodePath('a%2f..%2fb')).toThrowError(expect.objectContaining({ code: 'INVALID_PATH' }));
    expect(() => decodePath('%c0%ae%c0%ae/x')).toThrowError(/percent-encoded UTF-8/);
  });

  it('compares a prefix on segment boundaries', () => {
    expect(validatePrefix('a/b/')).toBe('a/b');
    expect(isWithin('a/b/c', 'a/b')).toBe(true);
    expect(isWithin('a/bc', 'a/b')).toBe(false);
    expect(isWithin('a/b', 'a/b')).toBe(false);
  });
});
