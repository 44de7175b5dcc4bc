import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter } from '../../src/bulk/http/rate-limiter.js';

const MiB = 1024 * 1024;
const signal = new AbortController().signal;
// Many takers share the signal, as in a transfer.
setMaxListeners(0, signal);

describe('RateLimiter at 1 MiB/s', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Lets several takers take pieces for some seconds. @returns the bytes taken and the number of waits */
  async function takePieces(
    takers: number,
    size: number,
    seconds: number,
    busyMs = 0,
  ): Promise<{ bytes: number; waits: number }> {
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
    ['one taker takes large pieces', 1, 512 * 1024],
    ['one taker takes small pieces', 1, 4096],
    ['many takers take TLS records', 16, 16 * 1024],
  ])('keeps the rate if %s', async (_, takers, size) => {
    const { bytes } = await takePieces(takers, size, 60);
    expect(bytes / MiB).toBeGreaterThan(59);
    expect(bytes / MiB).toBeLessThan(61.1);
  });

  it('reaches the rate if the taker is late after each piece', async () => {
    const { bytes } = await takePieces(1, 100 * 1024, 60, 40);
    expect(bytes / MiB).toBeGreaterThan(59);
  });

  it('does not wait for small pieces', async () => {
    const { bytes, waits } = await takePieces(1, 4096, 60);
    expect(waits).toBeLessThan(bytes / 4096 / 10);
  });

  it('allows only a short burst after idle time', async () => {
    const rate = new RateLimiter(MiB);
    await vi.advanceTimersByTimeAsync(3_600_000);
    let bytes = 0;
    while (rate.throttle(4096, signal) === undefined) bytes += 4096;
    expect(bytes).toBeLessThan(MiB / 5);
  });

  it('rejects a waiting taker when its signal aborts', async () => {
    const stop = new AbortController();
    const rate = new RateLimiter(MiB);
    void rate.throttle(10 * MiB, signal);
    const waiting = rate.throttle(1, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
  });
});
