import { describe, expect, it, vi } from 'vitest';
import { hash64 } from '../../src/bulk/journal/hash64.js';
import { FingerprintSet } from '../../src/bulk/node/sorting/fingerprint-set.js';
import { TempFile } from '../../src/bulk/node/files/temp-file.js';

describe('FingerprintSet', () => {
  it('contains exactly the added fingerprints, in memory and on disk', () => {
    for (const limit of [1e6, 3000, 513]) {
      const set = new FingerprintSet(limit);
      const prints = Array.from({ length: 10_000 }, (_, index) => hash64(`name ${index}`));
      expect(prints.every((print) => set.add(print))).toBe(true);
      expect(prints.every((print) => set.has(print))).toBe(true);
      expect(prints.some((print) => set.add(print))).toBe(false);
      expect(prints.some((print) => set.has(print ^ 1n))).toBe(false);
      expect([set.has(1n), set.has(2n ** 64n - 1n), set.isEmpty]).toEqual([false, false, false]);
      set.close();
    }
  });

  it('merges its files rarely, and does not search while it loads', () => {
    const [write, read] = [vi.spyOn(TempFile.prototype, 'write'), vi.spyOn(TempFile.prototype, 'read')];
    const set = new FingerprintSet(1000);
    for (let index = 0; index < 100_000; index++) set.addUnlessInMemory(hash64(`name ${index}`));
    const bytes = write.mock.calls.reduce((sum, [, block]) => sum + block.length, 0);
    expect(bytes).toBeLessThan(10 * 8 * 100_000);
    expect(read.mock.calls.length).toBeLessThan(1000);
    expect(set.has(hash64('name 5')) && set.has(hash64('name 99999'))).toBe(true);
    expect(set.has(1n)).toBe(false);
    set.close();
    vi.restoreAllMocks();
  });
});
