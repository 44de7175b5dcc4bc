import { describe, expect, it } from 'vitest';
import { createBulkTransfer } from '../../src/bulk/node/index.js';
import type { SourceFile } from '../../src/bulk/types.js';
import { MULTIPART, partAt, partCount, partSizeFor, streamPartSizes } from '../../src/bulk/transfer/part-plan.js';

const MiB = 1024 * 1024;

describe('the part plan', () => {
  it('has at most 10,000 parts for every size up to 5 TiB, and covers every byte', () => {
    for (const size of [1, 8 * MiB, 80_000 * MiB, 80_000 * MiB + 1, 100e9, MULTIPART.maxObject]) {
      const partSize = partSizeFor(size);
      const count = partCount(size, partSize);
      expect(count).toBeLessThanOrEqual(MULTIPART.maxParts);
      const last = partAt(count, size, partSize);
      expect(last.start + last.size).toBe(size);
      expect(last.size).toBeGreaterThan(0);
    }
    expect(() => partSizeFor(MULTIPART.maxObject + 1)).toThrow('5 TiB');
    expect(partSizeFor(10 * MiB, 64 * MiB)).toBe(64 * MiB);
  });

  it('rejects larger files, also in a dry run', async () => {
    const bulk = createBulkTransfer({ endpoint: 'http://127.0.0.1:1', credentials: 'anonymous' });
    const reader = (size: number) => ({ size, read: () => 0, changed: () => false, close: () => {} });
    const file = (size: number): SourceFile => ({ path: `${size}`, size, mtimeNs: 1n, open: () => reader(size) });
    const files = [MULTIPART.maxObject + 1, MULTIPART.maxObject];
    for (const [source, dryRun] of [
      [files.slice(0, 1), false],
      [files, true],
    ] as const) {
      const summary = await bulk.upload(source.map(file), { bucket: 'b', prefix: '' }, { dryRun });
      expect(summary).toMatchObject({ files: source.length - 1, failures: [{ name: `${files[0]}`, code: 'EntityTooLarge' }] });
    }
    bulk.close();
  });

  it('reaches 5 TiB for streams of unknown length', () => {
    for (const expected of [0, 1, 100 * MiB, 100e9, 1e12, MULTIPART.maxObject]) {
      const sizeOf = streamPartSizes(undefined, expected);
      let total = 0;
      for (let number = 1; number <= MULTIPART.maxParts; number++) {
        if (total < expected) expect(sizeOf(number)).toBe(sizeOf(1));
        total += sizeOf(number);
      }
      expect(total).toBeGreaterThanOrEqual(MULTIPART.maxObject);
    }
    expect(streamPartSizes()(1)).toBe(8 * MiB);
    expect(streamPartSizes(undefined, 1e12)(1)).toBe(120 * MiB);
    expect(() => streamPartSizes(undefined, MULTIPART.maxObject + 1)).toThrow('5 TiB');
  });
});
