import { beforeEach, describe, expect, it } from 'vitest';
import { BatchSize } from '../../../src/queue/scheduler/batch-size.js';

const KIB = 1024;

describe('the size of a batch', () => {
  let size: BatchSize;
  beforeEach(() => (size = new BatchSize()));

  it('is 128 KiB while the speed is unknown', () => {
    expect(size.bytes).toBe(128 * KIB);
  });

  it('is what a request sends in three seconds, from 64 KiB to 8 MiB', () => {
    size.measure(128 * KIB, 1000);
    expect(size.bytes).toBe(384 * KIB);
    size.measure(384 * KIB, 6000);
    expect(size.bytes).toBe(192 * KIB);
    size.measure(128 * KIB, 30_000);
    expect(size.bytes).toBe(64 * KIB);
    size.measure(64 * KIB, 0);
    expect(size.bytes).toBe(8 * KIB * KIB);
  });

  it('stays as large after a batch of tiny files, whose time is latency', () => {
    size.measure(128 * KIB, 300);
    size.measure(2 * KIB, 200);
    expect(size.bytes).toBe(1280 * KIB);
  });
});
