import { describe, expect, it } from 'vitest';
import { hash64 } from '../../src/s3/hash64.js';
import { Fingerprints } from '../../src/s3/node/fingerprints.js';

describe('fingerprints', () => {
  it('are known again, held or on disk, and no other is', () => {
    for (const limit of [1e6, 3000, 513]) {
      const set = new Fingerprints(limit);
      const prints = Array.from({ length: 10_000 }, (_, at) => hash64(`name ${at}`));
      for (const print of prints) expect(set.add(print)).toBe(true);
      for (const print of prints) expect(set.has(print)).toBe(true);
      for (const print of prints) expect(set.add(print)).toBe(false);
      for (let at = 0; at < 10_000; at++) expect(set.has(hash64(`other ${at}`))).toBe(false);
      expect([set.has(1n), set.has(2n ** 64n - 1n), set.size]).toEqual([false, false, 10_000]);
      set.close();
    }
  });
});
