import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BlobMissingError } from '../../server/service/drivers/bytes/driver.js';
import type { BytesDriver } from '../../server/service/drivers/bytes/driver.js';
import { newBlobId } from '../../server/service/runtime/ids.js';

const MIB = 1024 * 1024;

async function* chunks(bytes: Uint8Array, size = 64 * 1024) {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size);
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

async function listBlobs(driver: BytesDriver): Promise<Map<string, { size: number; changedAt: number }>> {
  const found = new Map<string, { size: number; changedAt: number }>();
  for await (const blob of driver.list()) found.set(blob.id, blob);
  return found;
}

/** Closes a driver at the end of the test. */
export function closeAfterTest(driver: BytesDriver): BytesDriver {
  onTestFinished(() => driver.close());
  return driver;
}

/** Defines the tests of every bytes driver. @param openDriver opens a driver on an empty store. The tests close it. */
export function bytesContract(name: string, openDriver: () => Promise<BytesDriver>): void {
  const open = async () => closeAfterTest(await openDriver());
  describe(`bytes on ${name}`, () => {
    it.each([0, 1, 70_000, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 17 * MIB + 7])('returns %i bytes unchanged', async (size) => {
      const driver = await open();
      const bytes = randomBytes(size);
      const withSize = newBlobId();
      const withoutSize = newBlobId();
      await driver.write(withSize, chunks(bytes), { size });
      await driver.write(withoutSize, chunks(bytes, 300_001));
      const inOneCall = newBlobId();
      await driver.write(inOneCall, bytes);
      for (const id of [withSize, withoutSize, inOneCall]) {
        const read = await readAll(driver, id);
        expect(read.byteLength).toBe(size);
        expect(read.equals(bytes)).toBe(true);
      }
      expect((await listBlobs(driver)).get(withSize)?.size).toBe(size);
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

    it.each([100_000, 20 * MIB])('stores nothing of a body that breaks after %i bytes', async (size) => {
      const driver = await open();
      const id = newBlobId();
      await expect(driver.write(id, broken(randomBytes(size)))).rejects.toThrow('the connection broke');
      await expect(driver.read(id)).rejects.toBeInstanceOf(BlobMissingError);
      expect(await listBlobs(driver)).toEqual(new Map());
    });

    it('stores nothing of an aborted body', async () => {
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
      expect(await listBlobs(driver)).toEqual(new Map());
    });

    it('names a missing blob in the error', async () => {
      const driver = await open();
      const id = newBlobId();
      await expect(driver.read(id)).rejects.toMatchObject({ name: 'BlobMissingError', id });
    });

    it('deletes blobs and ignores missing ones', async () => {
      const driver = await open();
      const ids = [newBlobId(), newBlobId(), newBlobId()];
      for (const id of ids) await driver.write(id, chunks(randomBytes(10)));
      await driver.delete([ids[0]!, newBlobId(), ids[1]!]);
      await driver.delete([ids[0]!]);
      await driver.delete([]);
      expect([...(await listBlobs(driver)).keys()]).toEqual([ids[2]]);
      await expect(driver.read(ids[0]!)).rejects.toBeInstanceOf(BlobMissingError);
    });

    it('lists more blobs than one page, with sizes and dates', async () => {
      const driver = await open();
      const before = Date.now();
      const ids = Array.from({ length: 1100 }, newBlobId);
      for (let start = 0; start < ids.length; start += 50)
        await Promise.all(ids.slice(start, start + 50).map((id) => driver.write(id, chunks(Buffer.from('x')))));
      const found = await listBlobs(driver);
      expect([...found.keys()].toSorted()).toEqual(ids.toSorted());
      for (const { size, changedAt } of found.values()) {
        expect(size).toBe(1);
        // Stores return whole seconds of their own clocks.
        expect(Math.abs(changedAt - before)).toBeLessThan(120_000);
      }
      await driver.delete(ids);
      expect(await listBlobs(driver)).toEqual(new Map());
    });

    it('writes many blobs in parallel without mixing them', async () => {
      const driver = await open();
      const bodies = Array.from({ length: 6 }, (_, index) => randomBytes((index % 3) * 9 * MIB + index));
      const ids = bodies.map(() => newBlobId());
      await Promise.all(bodies.map((body, index) => driver.write(ids[index]!, chunks(body))));
      for (const [index, id] of ids.entries()) expect((await readAll(driver, id)).equals(bodies[index]!)).toBe(true);
    });

    it('responds to a ping without listing its probe', async () => {
      const driver = await open();
      await driver.ping();
      expect(await listBlobs(driver)).toEqual(new Map());
    });
  });
}
