import { describe, expect, it } from 'vitest';
import { nextPieceSize, pieceSize } from '../../server/service/storage/resumable/upload-pieces.js';

const MIB = 1024 * 1024;

describe('the size of pieces', () => {
  it('grows while they come fast, and shrinks again when they no longer do', () => {
    const least = pieceSize(1024 * MIB);
    const sizes = [200, 200, 200, 200, 700, 5000, 2500, 1250, 1250].reduce(
      (before, took) => [...before, nextPieceSize(before.at(-1)!, took, least)],
      [least],
    );
    expect(sizes.map((size) => size / MIB)).toEqual([8, 16, 32, 64, 64, 64, 32, 16, 8, 8]);
  });

  it('stays a thousandth of a large file', () => {
    const least = pieceSize(100_000 * MIB);
    expect(nextPieceSize(least, 60_000, least)).toBe(least);
    expect(least).toBe(100 * MIB);
  });
});
