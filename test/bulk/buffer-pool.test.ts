import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../src/bulk/transfer/buffer-pool.js';

const MiB = 1024 * 1024;
const never = new AbortController().signal;

/** Returns the same numbers on every run: the linear congruential generator of Numerical Recipes. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 4;
}

describe('BufferPool', () => {
  it('lends buffers up to its budget, and one larger buffer if no other is lent', async () => {
    const buffers = new BufferPool(4 * MiB);
    const held = [buffers.acquire(3 * MiB, never), buffers.acquire(MiB, never)] as Uint8Array[];
    let isGranted = false;
    const waiting = (buffers.acquire(9 * MiB, never) as Promise<Uint8Array>).then((buffer) => {
      isGranted = true;
      return buffer;
    });
    buffers.release(held[0]!);
    await Promise.resolve();
    expect(isGranted).toBe(false);
    buffers.release(held[1]!);
    const large = await waiting;
    expect(large.length).toBeGreaterThanOrEqual(9 * MiB);
    const small = buffers.acquire(1, never) as Promise<Uint8Array>;
    expect(small).toBeInstanceOf(Promise);
    buffers.release(large);
    expect((await small).length).toBeLessThan(MiB);
  });

  it('rejects aborted requests, and then serves the requests behind them', async () => {
    const buffers = new BufferPool(4 * MiB);
    const [stop, other] = [new AbortController(), new AbortController()];
    const warnings: Error[] = [];
    const recordWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', recordWarning);
    const held = buffers.acquire(2 * MiB, never) as Uint8Array;
    const large = Array.from({ length: 20 }, () => buffers.acquire(3 * MiB, stop.signal) as Promise<Uint8Array>);
    const small = buffers.acquire(MiB, other.signal) as Promise<Uint8Array>;
    stop.abort();
    for (const request of large) await expect(request).rejects.toMatchObject({ code: 'Aborted' });
    buffers.release(await small);
    buffers.release(held);
    other.abort();
    expect(buffers.acquire(4 * MiB, never)).toBeInstanceOf(Uint8Array);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', recordWarning);
    expect(warnings).toEqual([]);
  });

  it('never lends the same bytes twice, and allocates no more than its budget', async () => {
    let allocated = 0;
    const allocate = (bytes: number) => {
      allocated += bytes;
      return new Uint8Array(bytes);
    };
    const buffers = new BufferPool(32 * MiB);
    const next = createRandom(7);
    const lent: { piece: Uint8Array; mark: number }[] = [];
    const releaseOne = (): void => {
      const [{ piece, mark }] = lent.splice(next() % lent.length, 1) as [{ piece: Uint8Array; mark: number }];
      // Another borrower of the same bytes would have left another mark.
      expect([piece[0], piece.at(-1)]).toEqual([mark, mark]);
      buffers.release(piece);
    };
    for (let turn = 1; turn < 5000; turn++) {
      const size = next() % (next() % 4 === 0 ? 9 * MiB : 200_000);
      const request = buffers.acquire(size, never, allocate);
      if (request instanceof Promise) while (lent.length > 0) releaseOne();
      const piece = await request;
      expect(piece.length).toBeGreaterThanOrEqual(size);
      const mark = turn % 251;
      piece[0] = mark;
      piece[piece.length - 1] = mark;
      lent.push({ piece, mark });
      if (next() % 3 === 0) releaseOne();
    }
    while (lent.length > 0) releaseOne();
    expect(allocated).toBe(32 * MiB);
    expect(buffers.acquire(32 * MiB, never)).toBeInstanceOf(Uint8Array);
  });

  it('returns a shared buffer only if the caller asks for one', () => {
    const buffers = new BufferPool(MiB);
    const shared = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes));
    const [unshared, sharedBuffer] = [buffers.acquire(1000, never), buffers.acquire(1000, never, shared)] as Uint8Array[];
    expect(unshared!.buffer).toBeInstanceOf(ArrayBuffer);
    expect(sharedBuffer!.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(buffers.acquire(MiB, never)).toBeInstanceOf(Promise);
    for (const piece of [unshared!, sharedBuffer!]) buffers.release(piece);
  });
});
