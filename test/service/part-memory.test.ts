import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PartMemory } from '../../server/service/drivers/bytes/part-memory.js';
import type { PartAllocation } from '../../server/service/drivers/bytes/part-memory.js';
import { cutIntoParts, partSize } from '../../server/service/drivers/bytes/s3-parts.js';
import type { Part } from '../../server/service/drivers/bytes/s3-parts.js';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const quick = { window: 50, maxWait: 300 };

/** Begins a part of `size` bytes whose first `received` bytes have arrived. */
async function beginPart(memory: PartMemory, size: number, received: number) {
  const part = memory.begin(size);
  await part.take(received, never);
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
  it('grows with the part number, so that 10,000 parts hold 5 TiB', () => {
    let total = 0;
    for (let number = 1; number <= 10_000; number++) total += partSize(number);
    expect(total).toBeGreaterThanOrEqual(5 * 1024 ** 4);
    expect([1, 1000, 1001, 3001].map((number) => partSize(number) / MIB)).toEqual([8, 8, 64, 736]);
    // S3 refuses a part of more than 5 GiB.
    expect(partSize(10_000)).toBeLessThan(5 * 1024 ** 3);
  });

  it('cuts a body into full parts and a shorter last part', async () => {
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
    const first = await beginPart(memory, 100, 100);
    const second = memory.begin(100);
    const waiting = second.take(10, never);
    first.release();
    first.release();
    await waiting;
    expect(second.heldBytes).toBe(10);
    // The memory is free only once, although the first part was released twice.
    await second.take(90, never);
    await expect(memory.begin(10).take(1, never)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('is given to begun parts before new ones, and first to the part with the fewest missing bytes', async () => {
    const memory = new PartMemory(100, quick);
    const full = await beginPart(memory, 60, 60);
    const [farFromEnd, nearEnd] = [await beginPart(memory, 1000, 10), await beginPart(memory, 40, 30)];
    const order: string[] = [];
    const waits = [
      memory
        .begin(5)
        .take(5, never)
        .then(() => order.push('new')),
      farFromEnd.take(10, never).then(() => order.push('990 missing')),
      nearEnd.take(10, never).then(() => order.push('10 missing')),
    ];
    full.release();
    await Promise.all(waits);
    expect(order).toEqual(['10 missing', '990 missing', 'new']);
  });

  it('lets one part exceed the limit if all parts wait for each other', async () => {
    const memory = new PartMemory(100, quick);
    const [first, second] = [await beginPart(memory, 80, 60), await beginPart(memory, 80, 40)];
    const waiting = second.take(40, never);
    await first.take(20, never);
    expect([first.heldBytes, second.heldBytes]).toEqual([80, 40]);
    first.release();
    await waiting;
    expect(second.heldBytes).toBe(80);
  });

  it('is taken only from the slowest sender while others wait', async () => {
    const memory = new PartMemory(1000, { window: 50, maxWait: 20_000 });
    const silence = new Promise(() => {});
    const [slower, slow] = [await beginPart(memory, 1000, 100), await beginPart(memory, 1000, 800)];
    const stopped: string[] = [];
    const waitForBytes = (name: string, part: PartAllocation) =>
      part.receive(silence, never).catch((cause: { code: string }) => {
        stopped.push(`${name} ${cause.code}`);
        part.release();
      });
    void waitForBytes('slow', slow);
    const rejected = waitForBytes('slower', slower);
    await memory.begin(150).take(150, never);
    await rejected;
    expect(stopped).toEqual(['slower UPLOAD_TOO_SLOW']);
  });

  it('is free again after an upload that waited was aborted', async () => {
    const memory = new PartMemory(100, { window: 50, maxWait: 20_000 });
    const full = await beginPart(memory, 100, 100);
    const abort = new AbortController();
    const waiting = memory.begin(100).take(10, abort.signal);
    abort.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    full.release();
    expect((await beginPart(memory, 100, 100)).heldBytes).toBe(100);
  });

  it('is released by a body that breaks and by an aborted one', async () => {
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
    setImmediate(() => stop.abort(new Error('aborted')));
    await expect(stopped).rejects.toThrow('aborted');
    expect((await beginPart(memory, 100, 100)).heldBytes).toBe(100);
  });
});
