import { describe, expect, it } from 'vitest';
import { hash64 } from '../../src/s3/hash64.js';
import { Fingerprints } from '../../src/s3/node/fingerprints.js';

describe('fingerprints', () => {
  it('are known again, held or on disk, and no other is', () => {
    for (const limit of [1e6, 3000, 513]) {
      const set = new Fingerprints(limit);
      const prints = Array.from({ length: 10_000 }, (_, at) => hash64(`name ${at}`));
      expect(prints.every((print) => set.add(print))).toBe(true);
      expect(prints.every((print) => set.has(print))).toBe(true);
      expect(prints.some((print) => set.add(print))).toBe(false);
      expect(prints.some((print) => set.has(print ^ 1n))).toBe(false);
      expect([set.has(1n), set.has(2n ** 64n - 1n), set.size]).toEqual([false, false, 10_000]);
      set.close();
    }
  });
});
