import { describe, expect, it } from 'vitest';
import { copyPiece } from '../../src/bulk/download/piece-writer.js';

describe('copyPiece', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => index + 1);
  const pieces = { 'a Buffer (Node)': Buffer.from(bytes.buffer), 'a typed array (page)': bytes };

  for (const [kind, source] of Object.entries(pieces))
    it.each([0, 1, 2, 255])(`copies %i bytes of ${kind} and changes no others`, (length) => {
      const buffer = new Uint8Array(new SharedArrayBuffer(300)).fill(99);
      copyPiece(source.subarray(7, 7 + length), buffer, 20);
      const expected = new Uint8Array(300).fill(99);
      expected.set(bytes.subarray(7, 7 + length), 20);
      expect(buffer).toEqual(expected);
      expect(buffer.buffer).toBeInstanceOf(SharedArrayBuffer);
    });

  it('fills a buffer to its end, and throws without writing beyond it', () => {
    const buffer = new Uint8Array(10);
    copyPiece(Buffer.from([1, 2]), buffer, 8);
    expect([...buffer]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    expect(() => copyPiece(Buffer.from([3, 4]), buffer, 9)).toThrow(RangeError);
    expect(buffer[9]).toBe(2);
  });
});
