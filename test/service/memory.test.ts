import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SharedMemory } from '../../server/service/http/memory.js';

const never = new AbortController().signal;
const sized = async (bytes: Buffer) => bytes.byteLength;
/** Resolves when all of it was taken. */
const write = (body: PassThrough, bytes: number) =>
  new Promise<void>((resolve) => body.write(Buffer.alloc(bytes), () => resolve()));

describe('memory that bodies share', () => {
  it('refuses who fell silent once others need what it holds, and nobody before', async () => {
    const memory = new SharedMemory(1000, 20);
    const [silent, flowing] = [new PassThrough(), new PassThrough()];
    const refused = memory.gather(silent, sized, never);
    refused.catch(() => {});
    await write(silent, 900);
    const stored = memory.gather(flowing, sized, never);
    await write(flowing, 100);
    expect(await Promise.race([refused, 'not yet'])).toBe('not yet');
    flowing.end(Buffer.alloc(500));
    expect(await stored).toBe(600);
    await expect(refused).rejects.toMatchObject({ code: 'UPLOAD_TOO_SLOW', details: { retry_after: 1 } });
  });

  it('lets bodies through that fill it together, one after the other', async () => {
    const memory = new SharedMemory(1000, 20);
    const bodies = [new PassThrough(), new PassThrough(), new PassThrough()];
    const stored = bodies.map((body) => memory.gather(body, sized, never));
    for (const body of bodies) await write(body, 333);
    for (const body of bodies) body.end(Buffer.alloc(600));
    expect(await Promise.all(stored)).toEqual([933, 933, 933]);
  });

  it('is free again after whatever happened', async () => {
    const memory = new SharedMemory(1000, 20);
    const fail = () => Promise.reject(new Error('no'));
    await expect(memory.gather(new PassThrough().end(Buffer.alloc(900)), fail, never)).rejects.toThrow('no');
    const gone = new AbortController();
    const left = new PassThrough();
    const leaving = memory.gather(left, sized, gone.signal);
    left.destroy(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    await new Promise<void>((all) => {
      const held = new PassThrough().end(Buffer.alloc(1000));
      void memory.gather(held, () => new Promise(() => all()), never);
    });
    const waiting = memory.gather(new PassThrough().end(Buffer.alloc(1)), sized, gone.signal);
    gone.abort(new Error('went away'));
    await expect(waiting).rejects.toThrow('went away');
  });
});
