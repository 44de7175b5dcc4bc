import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PartMemory } from '../../server/service/drivers/bytes/part-memory.js';
import type { PartAllocation } from '../../server/service/drivers/bytes/part-memory.js';
import { cutIntoParts, partSize } from '../../server/service/drivers/bytes/s3-parts.js';
import type { Part } from '../../server/service/drivers/bytes/s3-parts.js';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const quick = { window: 50, maxWait: 300 };

/** A part of `size` bytes whose first `held` bytes have come. */
async function begun(memory: PartMemory, size: number, held: number) {
  const part = memory.begin(size);
  await part.take(held, never);
  return part;
}

async function sizesOf(parts: AsyncIterable<Part>): Promise<number[]> {
  const sizes = [];
  for await (const part of parts) {
    sizes.push(part.bytes.byteLength);
    part.release();
  }
  return sizes;
}

describe('the size of parts', () => {
  it('follows the bytes that have come, so that 10,000 parts hold 5 TiB', () => {
    let total = 0;
    for (let number = 1; number <= 10_000; number++) total += partSize(number);
    expect(total).toBeGreaterThanOrEqual(5 * 1024 ** 4);
    expect([1, 1000, 1001, 3001].map((number) => partSize(number) / MIB)).toEqual([8, 8, 64, 736]);
    // S3 refuses a part of more than 5 GiB.
    expect(partSize(10_000)).toBeLessThan(5 * 1024 ** 3);
  });

  it('cuts a body into full parts and a rest', async () => {
    const body = new PassThrough();
    const cutting = sizesOf(cutIntoParts(body, new PartMemory(64 * MIB), never));
    for (let chunk = 0; chunk < 17; chunk++) body.write(Buffer.alloc(MIB));
    body.end(Buffer.alloc(5));
    expect(await cutting).toEqual([8 * MIB, 8 * MIB, MIB + 5]);
    expect(await sizesOf(cutIntoParts(new PassThrough().end(), new PartMemory(MIB), never))).toEqual([]);
  });
});

describe('the memory of parts', () => {
  it('lets a part wait until another is stored', async () => {
    const memory = new PartMemory(100, quick);
    const first = await begun(memory, 100, 100);
    const second = memory.begin(100);
    const waiting = second.take(10, never);
    first.release();
    first.release();
    await waiting;
    expect(second.heldBytes).toBe(10);
    // All of it is free again: once, though the first was released twice.
    await second.take(90, never);
    await expect(memory.begin(10).take(1, never)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('goes to begun parts before new ones, and first to the part that lacks least', async () => {
    const memory = new PartMemory(100, quick);
    const full = await begun(memory, 60, 60);
    const [little, much] = [await begun(memory, 1000, 10), await begun(memory, 40, 30)];
    const order: string[] = [];
    const waits = [
      memory
        .begin(5)
        .take(5, never)
        .then(() => order.push('new')),
      little.take(10, never).then(() => order.push('lacks 990')),
      much.take(10, never).then(() => order.push('lacks 10')),
    ];
    full.release();
    await Promise.all(waits);
    expect(order).toEqual(['lacks 10', 'lacks 990', 'new']);
  });

  it('lets one part go on beyond the limit when all wait for one another', async () => {
    const memory = new PartMemory(100, quick);
    const [one, two] = [await begun(memory, 80, 60), await begun(memory, 80, 40)];
    const waiting = two.take(40, never);
    await one.take(20, never);
    one.release();
    await waiting;
  });

  it('refuses the slowest senders while others wait, and nobody else', async () => {
    const memory = new PartMemory(1000, { window: 50, maxWait: 20_000 });
    const silence = new Promise(() => {});
    const [slower, slow] = [await begun(memory, 1000, 100), await begun(memory, 1000, 800)];
    const stopped: string[] = [];
    const waits = (name: string, part: PartAllocation) =>
      part.receive(silence, never).catch((cause: { code: string }) => {
        stopped.push(`${name} ${cause.code}`);
        part.release();
      });
    void waits('slow', slow);
    const refused = waits('slower', slower);
    await memory.begin(150).take(150, never);
    await refused;
    expect(stopped).toEqual(['slower UPLOAD_TOO_SLOW']);
  });

  it('is free again after an upload that waited was aborted', async () => {
    const memory = new PartMemory(100, { window: 50, maxWait: 20_000 });
    const held = await begun(memory, 100, 100);
    const gone = new AbortController();
    const waiting = memory.begin(100).take(10, gone.signal);
    gone.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    held.release();
    await begun(memory, 100, 100);
  });

  it('is given back by a body that breaks, and by one that is no longer wanted', async () => {
    const memory = new PartMemory(100, quick);
    const breaking = new PassThrough();
    breaking.write(Buffer.alloc(100));
    const broken = sizesOf(cutIntoParts(breaking, memory, never));
    breaking.destroy(new Error('broke'));
    await expect(broken).rejects.toThrow('broke');
    const silent = new PassThrough();
    silent.write(Buffer.alloc(100));
    const stop = new AbortController();
    const stopped = sizesOf(cutIntoParts(silent, memory, stop.signal));
    setImmediate(() => stop.abort(new Error('no longer')));
    await expect(stopped).rejects.toThrow('no longer');
    await begun(memory, 100, 100);
  });
});
