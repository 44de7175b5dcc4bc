import { describe, expect, it } from 'vitest';
import { parseMediaType, safeMediaType } from '../../src/protocol/media-type.js';

describe('parsing a media type', () => {
  it.each([
    ['text/plain', 'text/plain', {}],
    ['Image/SVG+XML', 'image/svg+xml', {}],
    ['text/html; charset=UTF-8', 'text/html', { charset: 'UTF-8' }],
    ['a/b;x=1 ;\tY="q; \\" , =" ; x=2;', 'a/b', { x: '1', y: 'q; " , =' }],
    ['text/plain;', 'text/plain', {}],
  ])('reads %j', (text, essence, parameters) => {
    const parsed = parseMediaType(text)!;
    expect([parsed.essence, Object.fromEntries(parsed.parameters)]).toEqual([essence, parameters]);
    expect(safeMediaType(text)).toBe(text);
  });

  it.each([
    '',
    'text',
    'text/',
    '/plain',
    ' text/plain',
    'text/plain ',
    'text/plain,text/html',
    'text/plain;a="x",text/html',
    'text/html(x',
    'text/plain; charset',
    'text/plain; a=b c',
    'text/plain; a="b',
    'text/plain; a="b"c',
    'text/plain\r\nX: y',
    'text/ü',
    `text/${'a'.repeat(255)}`,
  ])('refuses %j', (text) => {
    expect(parseMediaType(text)).toBeUndefined();
    expect(safeMediaType(text)).toBe('application/octet-stream');
  });

  it('takes linear time for a type that could cause backtracking', () => {
    for (const bad of [`a/b${';a=""'.repeat(50)}(`, `a/b${'; '.repeat(120)}(`, `a/b;a="${'\\"'.repeat(120)}`, 'a/'.repeat(120)])
      expect(parseMediaType(bad)).toBeUndefined();
  });
});
