import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HashingStream } from '../../server/service/storage/uploads/hashing-stream.js';
import { BUFFER_SIZE } from '../../server/service/storage/uploads/buffer-ring.js';
import { readUpTo } from '../../server/service/drivers/bytes/read-up-to.js';
import { UploadHash } from '../../server/service/storage/uploads/upload-hash.js';

const hex = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest('hex');

async function* chunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of body) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

describe('a body on its way through', () => {
  it.each([0, 1, BUFFER_SIZE - 1, BUFFER_SIZE, BUFFER_SIZE + 1, 9 * BUFFER_SIZE + 7])(
    'is passed on and hashed, %i bytes, announced or not',
    async (length) => {
      const bytes = randomBytes(length);
      for (const size of [length, undefined]) {
        const meter = new HashingStream(size === undefined ? {} : { size });
        expect((await read(meter.passThrough(chunks(bytes, 70_001)))).equals(bytes)).toBe(true);
        expect(await meter.summary()).toEqual({
          size: length,
          sha256: hex('sha256', bytes),
          md5: hex('md5', bytes),
          checksums: {},
        });
      }
    },
  );

  it('is read ahead of a slow reader by a few slabs and no more', async () => {
    let taken = 0;
    async function* endless() {
      for (;;) {
        taken += BUFFER_SIZE / 4;
        yield new Uint8Array(BUFFER_SIZE / 4);
      }
    }
    const body = new HashingStream({}).passThrough(endless());
    for (let slabs = 1; slabs <= 20; slabs++) {
      await body.next();
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(taken).toBeLessThanOrEqual((slabs + 5) * BUFFER_SIZE);
    }
    await body.return(undefined);
  });

  it('is let go of when its reader leaves', async () => {
    let left = false;
    async function* source() {
      try {
        for (;;) yield new Uint8Array(BUFFER_SIZE);
      } finally {
        left = true;
      }
    }
    const body = new HashingStream({}).passThrough(source());
    await body.next();
    await body.return(undefined);
    await expect.poll(() => left).toBe(true);
  });

  it('fails its reader with what broke it', async () => {
    async function* broken() {
      yield new Uint8Array(3 * BUFFER_SIZE);
      throw new Error('the connection broke');
    }
    await expect(read(new HashingStream({}).passThrough(broken()))).rejects.toThrow('the connection broke');
  });

  it.each([-1, 1])('is refused when its length is %i off what was announced', async (off) => {
    const bytes = new Uint8Array(5 * BUFFER_SIZE);
    await expect(
      read(new HashingStream({ size: bytes.byteLength + off }).passThrough(chunks(bytes, BUFFER_SIZE))),
    ).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      path: 'body',
    });
  });

  it('keeps its bytes where a store gathers them first, whatever other bodies come meanwhile', async () => {
    const bytes = randomBytes(1000);
    const meter = new HashingStream({ uploadHash: new UploadHash() });
    const gathered = await readUpTo(meter.passThrough(chunks(bytes, 100)), 2000);
    await meter.summary();
    // Takes whatever memory the first has given back.
    await read(new HashingStream({}).passThrough(chunks(randomBytes(9 * BUFFER_SIZE), BUFFER_SIZE)));
    expect(gathered).toEqual({ whole: Uint8Array.from(bytes) });
  });

  it('adds to the hash of the whole it is a piece of', async () => {
    const bytes = randomBytes(5 * BUFFER_SIZE + 3);
    const uploadHash = new UploadHash();
    for (const piece of [bytes.subarray(0, 2 * BUFFER_SIZE + 1), bytes.subarray(2 * BUFFER_SIZE + 1)]) {
      const meter = new HashingStream({ uploadHash });
      await read(meter.passThrough(chunks(piece, 100_000)));
      expect((await meter.summary()).sha256).toBe(hex('sha256', piece));
    }
    expect(await uploadHash.summary()).toMatchObject({
      size: bytes.length,
      sha256: hex('sha256', bytes),
      md5: hex('md5', bytes),
    });
  });
});
