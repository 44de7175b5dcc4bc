import { randomBytes } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, it, describe } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  client,
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3,
  createSortedSource,
  writeFiles,
} from './s3-store.js';

const MiB = 1024 * 1024;

describe('sync within', () => {
  it('makes a prefix hold what another holds', async () => {
    const source = createFolder();
    writeFiles(source, { a: '1', 'b/c': '2' });
    const [bucket, other] = [await createBucket(), await createBucket()];
    const bulk = createTransfer();
    await bulk.upload(walk(source), { bucket, prefix: 'p/' });
    await client.send(new PutObjectCommand({ Bucket: other, Key: 'q/z', Body: 'too much' }));
    const run = () => bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket: other, prefix: 'q/' }, { delete: true });
    expect(await run()).toMatchObject({ files: 2, deleted: 1, failed: 0 });
    expect(await run()).toMatchObject({ files: 0, skipped: 2, deleted: 0 });
    expect(await bulk.verify(createSortedSource(source), { bucket: other, prefix: 'q/' })).toMatchObject({ files: 2, failed: 0 });
  });

  it('takes no copy for the same because it is the younger one', async () => {
    const folder = createFolder();
    writeFiles(folder, { f: 'AAAA', g: 'AAAA' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: 'p/' });
    const within = () => bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }, {});
    expect(await within()).toMatchObject({ files: 2 });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'q/f', Body: 'BBBB' }));
    expect(await within()).toMatchObject({ files: 1, skipped: 1, failed: 0 });
    expect(await bulk.verify(createSortedSource(folder), { bucket, prefix: 'q/' })).toMatchObject({ files: 2, failed: 0 });
  });

  it('leaves a copy alone that was made in other parts, and remembers it', async () => {
    const folder = createFolder();
    writeFiles(folder, { big: randomBytes(18 * MiB) });
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: 'p/' });
    const state = createFolder();
    const asked: string[] = [];
    const send = bulk.store.httpClient.send.bind(bulk.store.httpClient);
    bulk.store.httpClient.send = (request) => (asked.push(request.method), send(request));
    const options = { multipartThreshold: 6 * MiB };
    const within = async () => {
      const journal = new DiskJournal(state, { keepSettled: true });
      asked.length = 0;
      return bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }, { ...options, journal });
    };
    expect(await within()).toMatchObject({ files: 1 });
    expect(await within()).toMatchObject({ files: 0, skipped: 1, unverified: 0 });
    expect(await within()).toMatchObject({ files: 0, skipped: 1 });
    expect(asked).not.toContain('HEAD');
  });

  it('by checksum leaves a copy alone that was made in other parts', async () => {
    const folder = createFolder();
    writeFiles(folder, { big: randomBytes(18 * MiB), small: 'x' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const [from, to] = [
      { bucket, prefix: 'p/' },
      { bucket, prefix: 'q/' },
    ];
    const within = () => bulk.syncWithin(from, to, { compare: 'checksum', multipartThreshold: 6 * MiB });
    await bulk.syncUp(createSortedSource(folder), from);
    expect(await within()).toMatchObject({ files: 2, skipped: 0 });
    expect(await within()).toMatchObject({ files: 0, skipped: 2, unverified: 0 });
    await bulk.upload(createSortedSource(folder)(), to, { partSize: 5 * MiB });
    // Ours keeps checksums of both.
    const unverified = s3.isOwn ? 0 : 1;
    for (let again = 0; again < 2; again++) expect(await within()).toMatchObject({ files: 0, skipped: 2, unverified });
    writeFiles(folder, { big: randomBytes(18 * MiB) });
    await bulk.syncUp(createSortedSource(folder), from);
    expect(await within()).toMatchObject({ files: 1, skipped: 1 });
    expect(await bulk.verify(createSortedSource(folder), to)).toMatchObject({ files: 2, failed: 0 });
  });

  it('by checksum takes no ETag for one that an encrypting store made up', async () => {
    const folder = createFolder();
    writeFiles(folder, { f: 'x' });
    const bucket = await createBucket();
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: 'p/' });
    const within = () => bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }, { compare: 'checksum' });
    expect(await within()).toMatchObject({ files: 1 });
    let told = 0;
    const body = (xml: Buffer) => Buffer.from(xml.toString().replaceAll(/[0-9a-f]{32}/g, () => `${++told}`.padStart(32, '0')));
    proxy.on({ method: 'GET', path: /list-type=2/, fault: { response: { body } } });
    const headers = { 'x-amz-server-side-encryption': 'aws:kms', etag: '"00000000000000000000000000000001"' };
    proxy.on({ method: 'HEAD', fault: { response: { headers } } });
    expect(await within()).toMatchObject({ files: 0, skipped: 1 });
  });

  it('copies what has bytes and the name of the folder itself, and tells of it where there can be none', async () => {
    const bucket = await createBucket();
    const put = (Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    await put('p/', 'bytes');
    await put('p/x', 'x');
    const [bulk, from, to] = [createTransfer(), { bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }];
    expect(await bulk.syncWithin(from, to, { delete: true })).toMatchObject({ files: 2, failed: 0 });
    expect(await bulk.syncWithin(from, to, { delete: true })).toMatchObject({ files: 0, skipped: 2, deleted: 0 });
    expect((await listObjects(bulk, bucket, 'q/')).map(({ key, size }) => [key, size])).toEqual([
      ['q/', 5],
      ['q/x', 1],
    ]);
    const down = createFolder();
    const brought = await bulk.syncDown(from, new FolderTarget(down), createSortedSource(down), {});
    expect(brought).toMatchObject({ files: 1, failures: [{ code: 'NameUnsafe', name: 'p/' }] });
    expect(await bulk.verify(createSortedSource(down), from)).toMatchObject({
      files: 1,
      failures: [{ code: 'NotEqual', name: 'p/' }],
    });
    // Empty, it is but the mark of the folder, and nobody's loss.
    await put('p/', '');
    await put('q/', '');
    expect(await bulk.syncWithin(from, { bucket, prefix: 'r/' }, {})).toMatchObject({ files: 1, failed: 0 });
    expect(await bulk.syncUp(createSortedSource(down), to, { delete: true })).toMatchObject({ deleted: 0, failed: 0 });
    expect(await bulk.verify(createSortedSource(down), from)).toMatchObject({ files: 1, failed: 0 });
  });
});
