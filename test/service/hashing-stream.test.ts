import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HashingStream } from '../../server/service/storage/uploads/hashing-stream.js';
import { BUFFER_SIZE } from '../../server/service/storage/uploads/buffer-ring.js';
import { readUpTo } from '../../server/service/drivers/bytes/read-up-to.js';
import { UploadHash } from '../../server/service/storage/uploads/upload-hash.js';

const hex = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest('hex');

async function* chunks(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size);
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of body) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

describe('a body that passes through HashingStream', () => {
  it.each([0, 1, BUFFER_SIZE - 1, BUFFER_SIZE, BUFFER_SIZE + 1, 9 * BUFFER_SIZE + 7])(
    'of %i bytes is passed on and hashed, with or without an announced length',
    async (length) => {
      const bytes = randomBytes(length);
      for (const size of [length, undefined]) {
        const stream = new HashingStream(size === undefined ? {} : { size });
        expect((await read(stream.passThrough(chunks(bytes, 70_001)))).equals(bytes)).toBe(true);
        expect(await stream.summary()).toEqual({
          size: length,
          sha256: hex('sha256', bytes),
          md5: hex('md5', bytes),
          checksums: {},
        });
      }
    },
  );

  it('is read ahead of a slow reader by at most a few buffers', async () => {
    let taken = 0;
    async function* endless() {
      for (;;) {
        taken += BUFFER_SIZE / 4;
        yield new Uint8Array(BUFFER_SIZE / 4);
      }
    }
    const body = new HashingStream({}).passThrough(endless());
    for (let buffers = 1; buffers <= 20; buffers++) {
      await body.next();
      // The pause is the slow reader. It gives the stream time to read too far ahead.
      await sleep(5);
      expect(taken).toBeLessThanOrEqual((buffers + 5) * BUFFER_SIZE);
    }
    await body.return(undefined);
  });

  it('is closed when its reader stops', async () => {
    let isClosed = false;
    async function* source() {
      try {
        for (;;) yield new Uint8Array(BUFFER_SIZE);
      } finally {
        isClosed = true;
      }
    }
    const body = new HashingStream({}).passThrough(source());
    await body.next();
    await body.return(undefined);
    await expect.poll(() => isClosed).toBe(true);
  });

  it('fails its reader with the error of its source', async () => {
    async function* broken() {
      yield new Uint8Array(3 * BUFFER_SIZE);
      throw new Error('the connection broke');
    }
    await expect(read(new HashingStream({}).passThrough(broken()))).rejects.toThrow('the connection broke');
  });

  it.each([-1, 1])('is rejected if the announced length differs by %i', async (difference) => {
    const bytes = new Uint8Array(5 * BUFFER_SIZE);
    await expect(
      read(new HashingStream({ size: bytes.byteLength + difference }).passThrough(chunks(bytes, BUFFER_SIZE))),
    ).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'body',
    });
  });

  it('keeps its bytes while a store collects them and other bodies reuse buffers', async () => {
    const bytes = randomBytes(1000);
    const stream = new HashingStream({ uploadHash: new UploadHash() });
    const collected = await readUpTo(stream.passThrough(chunks(bytes, 100)), 2000);
    await stream.summary();
    // This body uses all buffers that the first one has returned.
    await read(new HashingStream({}).passThrough(chunks(randomBytes(9 * BUFFER_SIZE), BUFFER_SIZE)));
    expect(collected).toEqual({ whole: Uint8Array.from(bytes) });
  });

  it('is added to the hash of the resumable upload that it is a piece of', async () => {
    const bytes = randomBytes(5 * BUFFER_SIZE + 3);
    const uploadHash = new UploadHash();
    for (const piece of [bytes.subarray(0, 2 * BUFFER_SIZE + 1), bytes.subarray(2 * BUFFER_SIZE + 1)]) {
      const stream = new HashingStream({ uploadHash });
      await read(stream.passThrough(chunks(piece, 100_000)));
      expect((await stream.summary()).sha256).toBe(hex('sha256', piece));
    }
    expect(await uploadHash.summary()).toMatchObject({
      size: bytes.length,
      sha256: hex('sha256', bytes),
      md5: hex('md5', bytes),
    });
  });
});
