import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryBudget } from '../../server/service/rest/multipart/memory-budget.js';

const never = new AbortController().signal;
const sized = async (bytes: Buffer) => bytes.byteLength;
/** Resolves when all of it was taken. */
const write = (body: PassThrough, bytes: number) =>
  new Promise<void>((resolve) => body.write(Buffer.alloc(bytes), () => resolve()));

describe('memory that bodies share', () => {
  it('refuses who fell silent once others need what it holds, and nobody before', async () => {
    const memory = new MemoryBudget(1000, 20);
    const [silent, flowing] = [new PassThrough(), new PassThrough()];
    const refused = memory.withBody(silent, sized, never);
    refused.catch(() => {});
    await write(silent, 900);
    const stored = memory.withBody(flowing, sized, never);
    await write(flowing, 100);
    expect(await Promise.race([refused, 'not yet'])).toBe('not yet');
    flowing.end(Buffer.alloc(500));
    expect(await stored).toBe(600);
    await expect(refused).rejects.toMatchObject({ code: 'UPLOAD_TOO_SLOW', details: { retry_after: 1 } });
  });

  it('lets bodies through that fill it together, one after the other', async () => {
    const memory = new MemoryBudget(1000, 20);
    const bodies = [new PassThrough(), new PassThrough(), new PassThrough()];
    const stored = bodies.map((body) => memory.withBody(body, sized, never));
    for (const body of bodies) await write(body, 333);
    for (const body of bodies) body.end(Buffer.alloc(600));
    expect(await Promise.all(stored)).toEqual([933, 933, 933]);
  });

  it('lets whoever comes at a good pace finish, however full it is', async () => {
    const memory = new MemoryBudget(1_000_000, 200);
    const [fast, other] = [new PassThrough({ highWaterMark: 1e6 }), new PassThrough()];
    const first = memory.withBody(fast, sized, never);
    await write(fast, 900_000);
    const second = memory.withBody(other, sized, never);
    other.end(Buffer.alloc(500_000));
    // The body gets older than the window of 200 ms between two chunks. The budget reads the real clock.
    await sleep(300);
    fast.end(Buffer.alloc(50_000));
    expect(await Promise.all([first, second])).toEqual([950_000, 500_000]);
  });

  it('stops of slow senders no more than are in the way', async () => {
    const memory = new MemoryBudget(1000, 20);
    const slow = [new PassThrough(), new PassThrough()];
    const refused = slow.map((body) => memory.withBody(body, sized, never).catch(() => 'refused'));
    for (const body of slow) await write(body, 500);
    // Both senders stay silent for longer than the window of 20 ms.
    await sleep(40);
    const waiting = [250, 250].map((bytes) => memory.withBody(new PassThrough().end(Buffer.alloc(bytes)), sized, never));
    expect(await Promise.all(waiting)).toEqual([250, 250]);
    for (const body of slow) body.end();
    expect((await Promise.all(refused)).sort()).toEqual([500, 'refused']);
  });

  it('is not held up by connections that send nothing', async () => {
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

  it('is free again after whatever happened', async () => {
    const memory = new MemoryBudget(1000, 20);
    const fail = () => Promise.reject(new Error('no'));
    await expect(memory.withBody(new PassThrough().end(Buffer.alloc(900)), fail, never)).rejects.toThrow('no');
    const gone = new AbortController();
    const left = new PassThrough();
    const leaving = memory.withBody(left, sized, gone.signal);
    left.destroy(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await new Promise<void>((all) => {
      const held = new PassThrough().end(Buffer.alloc(1000));
      void memory.withBody(held, () => new Promise(() => all()), never);
    });
    const waiting = memory.withBody(new PassThrough().end(Buffer.alloc(1)), sized, gone.signal);
    gone.abort(new Error('went away'));
    await expect(waiting).rejects.toThrow('went away');
  });
});
