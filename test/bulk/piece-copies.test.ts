import { describe, expect, it } from 'vitest';
import { copyPiece } from '../../src/bulk/download/piece-writer.js';

describe('a piece that is copied', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => index + 1);
  const pieces = { 'a Buffer, as in Node': Buffer.from(bytes.buffer), 'an array, as in a page': bytes };

  for (const [what, whole] of Object.entries(pieces))
    it.each([0, 1, 2, 255])(`is ${what}: %i bytes of it lie where they belong, and no other`, (length) => {
      const buffer = new Uint8Array(new SharedArrayBuffer(300)).fill(99);
      copyPiece(whole.subarray(7, 7 + length), buffer, 20);
      const wanted = new Uint8Array(300).fill(99);
      wanted.set(bytes.subarray(7, 7 + length), 20);
      expect(buffer).toEqual(wanted);
      expect(buffer.buffer).toBeInstanceOf(SharedArrayBuffer);
    });

  it('fills a buffer to its end, and is refused beyond it with nothing written', () => {
    const buffer = new Uint8Array(10);
    copyPiece(Buffer.from([1, 2]), buffer, 8);
    expect([...buffer]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    expect(() => copyPiece(Buffer.from([3, 4]), buffer, 9)).toThrow(RangeError);
    expect(buffer[9]).toBe(2);
  });
});
