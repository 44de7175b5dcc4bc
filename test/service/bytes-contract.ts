import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BlobMissingError } from '../../server/service/drivers/bytes/driver.js';
import type { BytesDriver } from '../../server/service/drivers/bytes/driver.js';
import { newBlobId } from '../../server/service/runtime/ids.js';

const MIB = 1024 * 1024;
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* chunks(bytes: Uint8Array, size = 64 * 1024) {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function* broken(bytes: Uint8Array) {
  yield* chunks(bytes);
  throw new Error('the connection broke');
}

async function readAll(driver: BytesDriver, id: string, range?: { start: number; end: number }): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of await driver.read(id, range)) read.push(chunk as Buffer);
  return Buffer.concat(read);
}

async function listed(driver: BytesDriver): Promise<Map<string, { size: number; changedAt: number }>> {
  const found = new Map<string, { size: number; changedAt: number }>();
  for await (const blob of driver.list()) found.set(blob.id, blob);
  return found;
}

/** What every bytes driver does; `open` gives one on an empty store of its own, closed by the caller. */
export function bytesContract(name: string, open: () => Promise<BytesDriver>): void {
  describe(`bytes on ${name}`, () => {
    it.each([0, 1, 70_000, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 35 * MIB + 7])('gives back %i bytes as they came', async (size) => {
      const driver = await open();
      const bytes = randomBytes(size);
      const announced = newBlobId();
      const unknown = newBlobId();
      await driver.write(announced, chunks(bytes), { size });
      await driver.write(unknown, chunks(bytes, 300_001));
      const whole = newBlobId();
      await driver.write(whole, bytes);
      for (const id of [announced, unknown, whole]) {
        const back = await readAll(driver, id);
        expect(back.byteLength).toBe(size);
        expect(hash(back)).toBe(hash(bytes));
      }
      expect((await listed(driver)).get(announced)?.size).toBe(size);
    });

    it('reads ranges, both ends inclusive', async () => {
      const driver = await open();
      const bytes = randomBytes(9 * MIB);
      const id = newBlobId();
      await driver.write(id, chunks(bytes));
      for (const [start, end] of [
        [0, 0],
        [5, 9],
        [8 * MIB - 2, 8 * MIB + 2],
        [9 * MIB - 1, 9 * MIB - 1],
      ] as const)
        expect(await readAll(driver, id, { start, end })).toEqual(bytes.subarray(start, end + 1));
    });

    it.each([100_000, 20 * MIB])('keeps nothing readable of %i bytes whose body breaks', async (size) => {
      const driver = await open();
      const id = newBlobId();
      await expect(driver.write(id, broken(randomBytes(size)))).rejects.toThrow('the connection broke');
      await expect(driver.read(id)).rejects.toBeInstanceOf(BlobMissingError);
      expect(await listed(driver)).toEqual(new Map());
    });

    it('keeps nothing readable of a body that is aborted', async () => {
      const driver = await open();
      const id = newBlobId();
      const abort = new AbortController();
      async function* endless() {
        for (let count = 0; ; count++) {
          if (count === 20) abort.abort(new Error('stopped'));
          yield randomBytes(MIB);
        }
      }
      await expect(driver.write(id, endless(), { signal: abort.signal })).rejects.toThrow('stopped');
      await expect(driver.read(id)).rejects.toBeInstanceOf(BlobMissingError);
      expect(await listed(driver)).toEqual(new Map());
    });

    it('says which blob is missing', async () => {
      const driver = await open();
      const id = newBlobId();
      await expect(driver.read(id)).rejects.toMatchObject({ name: 'BlobMissingError', id });
    });

    it('deletes what is there and is silent about what is not', async () => {
      const driver = await open();
      const ids = [newBlobId(), newBlobId(), newBlobId()];
      for (const id of ids) await driver.write(id, chunks(randomBytes(10)));
      await driver.delete([ids[0]!, newBlobId(), ids[1]!]);
      await driver.delete([ids[0]!]);
      await driver.delete([]);
      expect([...(await listed(driver)).keys()]).toEqual([ids[2]]);
      await expect(driver.read(ids[0]!)).rejects.toBeInstanceOf(BlobMissingError);
    });

    it('lists more than a page, with sizes and dates', async () => {
      const driver = await open();
      const before = Date.now();
      const ids = Array.from({ length: 1100 }, newBlobId);
      for (let at = 0; at < ids.length; at += 50)
        await Promise.all(ids.slice(at, at + 50).map((id) => driver.write(id, chunks(Buffer.from('x')))));
      const found = await listed(driver);
      expect([...found.keys()].toSorted()).toEqual(ids.toSorted());
      for (const { size, changedAt } of found.values()) {
        expect(size).toBe(1);
        // Stores tell whole seconds, by a clock of their own.
        expect(Math.abs(changedAt - before)).toBeLessThan(120_000);
      }
      await driver.delete(ids);
      expect(await listed(driver)).toEqual(new Map());
    });

    it('writes many at once without mixing them', async () => {
      const driver = await open();
      const bodies = Array.from({ length: 12 }, (_, index) => randomBytes((index % 3) * 9 * MIB + index));
      const ids = bodies.map(() => newBlobId());
      await Promise.all(bodies.map((body, index) => driver.write(ids[index]!, chunks(body))));
      for (const [index, id] of ids.entries()) expect(hash(await readAll(driver, id))).toBe(hash(bodies[index]!));
    });

    it('answers a ping and does not list it', async () => {
      const driver = await open();
      await driver.ping();
      expect(await listed(driver)).toEqual(new Map());
    });
  });
}
