import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from '../../server/service/rest/multipart/memory-budget.js';

const never = new AbortController().signal;
const sized = async (bytes: Buffer) => bytes.byteLength;
/** Writes zeros to a body. Resolves when the reader has taken all of them. */
const write = (body: PassThrough, bytes: number) =>
  new Promise<void>((resolve) => body.write(Buffer.alloc(bytes), () => resolve()));

describe('the memory budget of bodies', () => {
  it('rejects a silent sender only when another body needs its memory', async () => {
    const memory = new MemoryBudget(1000, 20);
    const [silent, flowing] = [new PassThrough(), new PassThrough()];
    const rejected = memory.withBody(silent, sized, never);
    rejected.catch(() => {});
    await write(silent, 900);
    const stored = memory.withBody(flowing, sized, never);
    await write(flowing, 100);
    expect(await Promise.race([rejected, 'not yet'])).toBe('not yet');
    flowing.end(Buffer.alloc(500));
    expect(await stored).toBe(600);
    await expect(rejected).rejects.toMatchObject({ code: 'UPLOAD_TOO_SLOW', details: { retry_after: 1 } });
  });

  it('lets bodies that fill it together finish one after the other', async () => {
    const memory = new MemoryBudget(1000, 20);
    const bodies = [new PassThrough(), new PassThrough(), new PassThrough()];
    const stored = bodies.map((body) => memory.withBody(body, sized, never));
    for (const body of bodies) await write(body, 333);
    for (const body of bodies) body.end(Buffer.alloc(600));
    expect(await Promise.all(stored)).toEqual([933, 933, 933]);
  });

  it('lets a fast sender finish even if it is full', async () => {
    const memory = new MemoryBudget(1_000_000, 200);
    const [fast, other] = [new PassThrough({ highWaterMark: 1e6 }), new PassThrough()];
    const first = memory.withBody(fast, sized, never);
    await write(fast, 900_000);
    const second = memory.withBody(other, sized, never);
    other.end(Buffer.alloc(500_000));
    // The pause is longer than the window of 200 ms, so the sender counts as old and waits between two chunks.
    await sleep(300);
    fast.end(Buffer.alloc(50_000));
    expect(await Promise.all([first, second])).toEqual([950_000, 500_000]);
  });

  it('rejects only as many slow senders as necessary', async () => {
    const memory = new MemoryBudget(1000, 20);
    const slow = [new PassThrough(), new PassThrough()];
    const results = slow.map((body) => memory.withBody(body, sized, never).catch(() => 'rejected'));
    for (const body of slow) await write(body, 500);
    // The pause is longer than the window of 20 ms, within which new senders are never rejected.
    await sleep(40);
    const waiting = [250, 250].map((bytes) => memory.withBody(new PassThrough().end(Buffer.alloc(bytes)), sized, never));
    expect(await Promise.all(waiting)).toEqual([250, 250]);
    for (const body of slow) body.end();
    expect((await Promise.all(results)).sort()).toEqual([500, 'rejected']);
  });

  it('is not blocked by connections that send nothing', async () => {
    const memory = new MemoryBudget(1000, 20);
    const silent = new PassThrough();
    const nothing = memory.withBody(silent, sized, never);
    const bodies = [new PassThrough(), new PassThrough()];
    const stored = bodies.map((body) => memory.withBody(body, sized, never));
    for (const body of bodies) await write(body, 500);
    for (const body of bodies) body.end(Buffer.alloc(100));
    expect(await Promise.all(stored)).toEqual([600, 600]);
    silent.end();
    expect(await nothing).toBe(0);
  });

  it('is released after a failed process, a broken body and an abort', async () => {
    const memory = new MemoryBudget(1000, 20);
    const fail = () => Promise.reject(new Error('no'));
    await expect(memory.withBody(new PassThrough().end(Buffer.alloc(900)), fail, never)).rejects.toThrow('no');
    const abort = new AbortController();
    const left = new PassThrough();
    const leaving = memory.withBody(left, sized, abort.signal);
    left.destroy(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await new Promise<void>((all) => {
      const full = new PassThrough().end(Buffer.alloc(1000));
      void memory.withBody(full, () => new Promise(() => all()), never);
    });
    const waiting = memory.withBody(new PassThrough().end(Buffer.alloc(1)), sized, abort.signal);
    abort.abort(new Error('went away'));
    await expect(waiting).rejects.toThrow('went away');
  });
});
