import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../src/bulk/transfer/buffer-pool.js';

const MiB = 1024 * 1024;
const never = new AbortController().signal;

/** The same ones on every run. Source: Numerical Recipes, a linear congruential generator. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 4;
}

describe('memory', () => {
  it('is lent up to its budget, and one piece beyond it when nothing else is out', async () => {
    const buffers = new BufferPool(4 * MiB);
    const held = [buffers.acquire(3 * MiB, never), buffers.acquire(MiB, never)] as Uint8Array[];
    let given = false;
    const waiting = (buffers.acquire(9 * MiB, never) as Promise<Uint8Array>).then((buffer) => {
      given = true;
      return buffer;
    });
    buffers.release(held[0]!);
    await Promise.resolve();
    expect(given).toBe(false);
    buffers.release(held[1]!);
    const large = await waiting;
    expect(large.length).toBeGreaterThanOrEqual(9 * MiB);
    const small = buffers.acquire(1, never) as Promise<Uint8Array>;
    expect(small).toBeInstanceOf(Promise);
    buffers.release(large);
    expect((await small).length).toBeLessThan(MiB);
  });

  it('is waited for no longer than somebody wants it, and then those behind have their turn', async () => {
    const buffers = new BufferPool(4 * MiB);
    const [stop, other] = [new AbortController(), new AbortController()];
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    const held = buffers.acquire(2 * MiB, never) as Uint8Array;
    const large = Array.from({ length: 20 }, () => buffers.acquire(3 * MiB, stop.signal) as Promise<Uint8Array>);
    const small = buffers.acquire(MiB, other.signal) as Promise<Uint8Array>;
    stop.abort();
    for (const one of large) await expect(one).rejects.toMatchObject({ code: 'Aborted' });
    buffers.release(await small);
    buffers.release(held);
    other.abort();
    expect(buffers.acquire(4 * MiB, never)).toBeInstanceOf(Uint8Array);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warned).toEqual([]);
  });

  it('is of one piece, whatever sizes are asked for, and never lent to two', async () => {
    let made = 0;
    const make = (bytes: number) => {
      made += bytes;
      return new Uint8Array(bytes);
    };
    const buffers = new BufferPool(32 * MiB);
    const next = numbers(7);
    const lent: { piece: Uint8Array; mark: number }[] = [];
    const giveOne = (): void => {
      const [{ piece, mark }] = lent.splice(next() % lent.length, 1) as [{ piece: Uint8Array; mark: number }];
      // Whoever else had it would have left another mark.
      expect([piece[0], piece.at(-1)]).toEqual([mark, mark]);
      buffers.release(piece);
    };
    for (let turn = 1; turn < 5000; turn++) {
      const size = next() % (next() % 4 === 0 ? 9 * MiB : 200_000);
      const taking = buffers.acquire(size, never, make);
      if (taking instanceof Promise) while (lent.length > 0) giveOne();
      const piece = await taking;
      expect(piece.length).toBeGreaterThanOrEqual(size);
      const mark = turn % 251;
      piece[0] = mark;
      piece[piece.length - 1] = mark;
      lent.push({ piece, mark });
      if (next() % 3 === 0) giveOne();
    }
    while (lent.length > 0) giveOne();
    expect(made).toBe(32 * MiB);
    expect(buffers.acquire(32 * MiB, never)).toBeInstanceOf(Uint8Array);
  });

  it('is of the kind that was asked for, though another was asked for before', () => {
    const buffers = new BufferPool(MiB);
    const shared = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes));
    const [own, theirs] = [buffers.acquire(1000, never), buffers.acquire(1000, never, shared)] as Uint8Array[];
    expect(own!.buffer).toBeInstanceOf(ArrayBuffer);
    expect(theirs!.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(buffers.acquire(MiB, never)).toBeInstanceOf(Promise);
    for (const piece of [own!, theirs!]) buffers.release(piece);
  });
});
