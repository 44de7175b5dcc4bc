import { describe, expect, it } from 'vitest';
import { AdaptiveConcurrency } from '../../src/bulk/transfer/adaptive-concurrency.js';

const MiB = 1024 * 1024;
const never = new AbortController().signal;

describe('AdaptiveConcurrency', () => {
  /** Simulates a store that serves at most `capacity` requests at once. @returns the limit after so many rounds */
  async function simulate(capacity: number, rounds: number): Promise<number> {
    let now = 0;
    const concurrency = new AdaptiveConcurrency({ now: () => now, window: 100 });
    for (let round = 0; round < rounds; round++) {
      const limit = concurrency.limit;
      for (let i = 0; i < limit; i++) await concurrency.acquire(never, 1000);
      const waiting = concurrency.acquire(never, 1000);
      // Requests beyond the capacity only wait.
      now += 10 * Math.ceil(limit / capacity) * (limit > capacity ? limit / capacity / Math.ceil(limit / capacity) : 1);
      for (let i = 0; i < limit; i++) concurrency.release(1000, true);
      await waiting;
      concurrency.release(1000, true);
    }
    return concurrency.limit;
  }

  it('grows while throughput grows, up to its maximum', async () => {
    expect(await simulate(1000, 400)).toBe(128);
    const limit = await simulate(40, 400);
    expect(limit).toBeGreaterThanOrEqual(36);
    expect(limit).toBeLessThanOrEqual(82);
  });

  it('halves once a second at most while the store asks for fewer requests', () => {
    let now = 0;
    const concurrency = new AdaptiveConcurrency({ start: 32, now: () => now });
    for (let i = 0; i < 10; i++) concurrency.backOff();
    expect(concurrency.limit).toBe(16);
    now += 1001;
    concurrency.backOff();
    expect(concurrency.limit).toBe(8);
  });

  it('serves small requests beside the parts of a large file', async () => {
    const concurrency = new AdaptiveConcurrency({ fixed: 6 });
    const granted: string[] = [];
    const request = async (name: string, weight: number): Promise<void> => {
      await concurrency.acquire(never, weight);
      granted.push(name);
    };
    for (let part = 1; part <= 20; part++) void request('part', 8 * MiB);
    for (let file = 1; file <= 5; file++) void request('file', 10_240);
    await Promise.resolve();
    expect(granted).toEqual(Array(6).fill('part'));
    // Two parts end. Small files get their slots.
    for (let i = 0; i < 2; i++) concurrency.release(8 * MiB, true);
    for (let i = 0; i < 3; i++) {
      await Promise.resolve();
      concurrency.release(10_240, true);
    }
    await Promise.resolve();
    expect(granted.slice(6)).toEqual(Array(5).fill('file'));
    // Without waiting small files, parts get all slots.
    for (let i = 0; i < 2; i++) concurrency.release(10_240, true);
    await Promise.resolve();
    expect(granted.slice(11)).toEqual(['part', 'part']);
  });

  it('alternates between small and large requests if its limit is 1', async () => {
    const concurrency = new AdaptiveConcurrency({ fixed: 1 });
    const granted: string[] = [];
    const request = async (name: string, weight: number): Promise<void> => {
      await concurrency.acquire(never, weight);
      granted.push(name);
      concurrency.release(weight, true);
    };
    await Promise.all([
      ...Array.from({ length: 4 }, () => request('file', 10_240)),
      ...Array.from({ length: 2 }, () => request('part', 8 * MiB)),
    ]);
    expect(granted).toEqual(['file', 'part', 'file', 'part', 'file', 'file']);
  });

  it('never changes a fixed limit', () => {
    const concurrency = new AdaptiveConcurrency({ fixed: 3 });
    concurrency.backOff();
    expect(concurrency.limit).toBe(3);
  });
});
