import { describe, expect, it } from 'vitest';
import { batchBytes } from '../../../src/queue/scheduler/batch-bytes.js';

describe('the size of a batch', () => {
  it('is what a request sends in three seconds, from 64 KiB to 8 MiB', () => {
    expect(batchBytes(1_200_000, 6)).toBe(600_000);
    expect(batchBytes(10_000, 6)).toBe(64 * 1024);
    expect(batchBytes(1e9, 1)).toBe(8 * 1024 * 1024);
  });

  it('is 1 MiB while the speed is unknown', () => {
    expect(batchBytes(null, 6)).toBe(1024 * 1024);
  });
});
