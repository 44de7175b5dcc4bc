import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../src/bulk/http/rate-limiter.js';

const MiB = 1024 * 1024;
const signal = new AbortController().signal;
// As a run's.
setMaxListeners(0, signal);

describe('a pace of 1 MiB a second', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** What so many that take pieces of this size have taken after so many seconds, and how often they waited. */
  async function taken(takers: number, size: number, seconds: number, busyMs = 0): Promise<{ bytes: number; waits: number }> {
    const rate = new RateLimiter(MiB);
    const result = { bytes: 0, waits: 0 };
    const end = performance.now() + seconds * 1000;
    const take = async (): Promise<void> => {
      while (performance.now() < end) {
        const wait = rate.throttle(size, signal);
        result.bytes += size;
        result.waits += wait === undefined ? 0 : 1;
        await wait;
        if (busyMs > 0) await new Promise((resolve) => setTimeout(resolve, busyMs));
      }
    };
    const all = Promise.all(Array.from({ length: takers }, take));
    await vi.advanceTimersByTimeAsync(seconds * 2000);
    await all;
    return result;
  }

  it.each([
    ['one takes large pieces', 1, 512 * 1024],
    ['one takes small ones', 1, 4096],
    ['many take the pieces of TLS', 16, 16 * 1024],
  ])('is kept to when %s', async (_, takers, size) => {
    const { bytes } = await taken(takers, size, 60);
    expect(bytes / MiB).toBeGreaterThan(59);
    expect(bytes / MiB).toBeLessThan(61.1);
  });

  it('is reached by who is late after each piece, as timers and disks are', async () => {
    const { bytes } = await taken(1, 100 * 1024, 60, 40);
    expect(bytes / MiB).toBeGreaterThan(59);
  });

  it('lets pieces pass that take less time than waiting does', async () => {
    const { bytes, waits } = await taken(1, 4096, 60);
    expect(waits).toBeLessThan(bytes / 4096 / 10);
  });

  it('makes up for no more than a moment', async () => {
    const rate = new RateLimiter(MiB);
    await vi.advanceTimersByTimeAsync(3_600_000);
    let bytes = 0;
    while (rate.throttle(4096, signal) === undefined) bytes += 4096;
    expect(bytes).toBeLessThan(MiB / 5);
  });

  it('ends its waiting when it is told to', async () => {
    const stop = new AbortController();
    const rate = new RateLimiter(MiB);
    void rate.throttle(10 * MiB, signal);
    const waiting = rate.throttle(1, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
  });
});
