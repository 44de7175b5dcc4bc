import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { client, listObjects, createBucket, createTransfer } from './s3-store.js';

const MiB = 1024 * 1024;

/** Keys of other programs. S3 does not resolve dot segments. */
const KEYS = ['.', '..', '../../z', './x', 'a b/../ü', 'x', '//..'];

describe('keys with dot segments', () => {
  let bucket: string;
  let bulk: BulkTransfer;
  beforeEach(async () => {
    bucket = await createBucket();
    bulk = createTransfer();
    for (const key of KEYS) await put(`k/${key}`, Buffer.from(key));
  });
  const place = (prefix: string) => ({ bucket, prefix });
  const put = (key: string, body: Uint8Array) =>
    bulk.store.send({ method: 'PUT', bucket, key, body, payloadHash: 'UNSIGNED-PAYLOAD', signal: new AbortController().signal });
  const readText = async (key: string) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of bulk.read({ bucket, prefix: key })) pieces.push(piece.slice());
    return Buffer.concat(pieces).toString();
  };
  const readAll = async (prefix: string) => {
    const found: [string, string][] = [];
    for (const { key } of await listObjects(bulk, bucket, prefix)) found.push([key.slice(prefix.length), await readText(key)]);
    return found.sort();
  };
  const expected = KEYS.map((key) => [key, key]).sort();

  it('are copied and synced unchanged within the store', async () => {
    const all = { files: KEYS.length, failures: [] };
    expect(await bulk.copy(place('k/'), place('copied/'))).toMatchObject(all);
    expect(await bulk.copy(place('k/'), place('other/'), { properties: { metadata: { a: 'b' } } })).toMatchObject(all);
    const sync = () => bulk.syncWithin(place('k/'), place('synced/'), { delete: true });
    expect(await sync()).toMatchObject(all);
    expect(await sync()).toMatchObject({ files: 0, skipped: KEYS.length, failed: 0 });
    for (const prefix of ['copied/', 'other/', 'synced/']) expect(await readAll(prefix)).toEqual(expected);
    await bulk.delete(place('k/../'));
    expect(await sync()).toMatchObject({ files: 0, deleted: 1, failed: 0 });
    expect(await bulk.copy(place('k/'), place('named/'), { paths: ['..'] })).toMatchObject({ files: 1, failed: 0 });
  });

  it('are copied unchanged in parts', async () => {
    await put('big/../b', randomBytes(6 * MiB));
    const copied = await bulk.copy(place('big/'), place('parts/'), { multipartThreshold: 5 * MiB });
    expect(copied).toMatchObject({ files: 1, failures: [] });
    expect((await listObjects(bulk, bucket, 'parts/')).map(({ key, size }) => [key, size])).toEqual([['parts/../b', 6 * MiB]]);
  });

  it('are refused as new keys, with an SDK client, and for anonymous requests', async () => {
    const unsafe = { failures: [{ code: 'NameUnsafe' }] };
    expect(await bulk.copy(place('k/x'), place('out/../x'), { exact: true })).toMatchObject(unsafe);
    for (const options of [{ client }, { credentials: 'anonymous' } as const]) {
      const other = createTransfer(options);
      // The transfer fails before the first request.
      const summary = await other.copy(place('k/'), place('k2/'), { paths: ['..'] });
      expect(summary).toMatchObject({ files: 0, ...unsafe });
    }
    expect(await readAll('k2/')).toEqual([]);
  });
});
