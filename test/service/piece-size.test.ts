import { describe, expect, it } from 'vitest';
import { nextPieceSize, pieceSize } from '../../server/service/storage/resumable/upload-pieces.js';

const MIB = 1024 * 1024;

describe('the size of pieces', () => {
  it('grows while pieces arrive fast and shrinks when they arrive slowly', () => {
    const smallest = pieceSize(1024 * MIB);
    const sizes = [200, 200, 200, 200, 700, 5000, 2500, 1250, 1250].reduce(
      (sizesSoFar, duration) => [...sizesSoFar, nextPieceSize(sizesSoFar.at(-1)!, duration, smallest)],
      [smallest],
    );
    expect(sizes.map((size) => size / MIB)).toEqual([8, 16, 32, 64, 64, 64, 32, 16, 8, 8]);
  });

  it('is never less than a thousandth of the file', () => {
    const smallest = pieceSize(100_000 * MIB);
    expect(nextPieceSize(smallest, 60_000, smallest)).toBe(smallest);
    expect(smallest).toBe(100 * MIB);
  });
});
