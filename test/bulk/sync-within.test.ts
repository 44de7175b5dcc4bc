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

describe('BulkTransfer.syncWithin', () => {
  it('makes one prefix equal to another', async () => {
    const source = createFolder();
    writeFiles(source, { a: '1', 'b/c': '2' });
    const [bucket, other] = [await createBucket(), await createBucket()];
    const bulk = createTransfer();
    await bulk.upload(walk(source), { bucket, prefix: 'p/' });
    await client.send(new PutObjectCommand({ Bucket: other, Key: 'q/z', Body: 'too much' }));
    const sync = () => bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket: other, prefix: 'q/' }, { delete: true });
    expect(await sync()).toMatchObject({ files: 2, deleted: 1, failed: 0 });
    expect(await sync()).toMatchObject({ files: 0, skipped: 2, deleted: 0 });
    expect(await bulk.verify(createSortedSource(source), { bucket: other, prefix: 'q/' })).toMatchObject({ files: 2, failed: 0 });
  });

  it('copies again if the target is newer but differs', async () => {
    const folder = createFolder();
    writeFiles(folder, { f: 'AAAA', g: 'AAAA' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: 'p/' });
    const sync = () => bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }, {});
    expect(await sync()).toMatchObject({ files: 2 });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'q/f', Body: 'BBBB' }));
    expect(await sync()).toMatchObject({ files: 1, skipped: 1, failed: 0 });
    expect(await bulk.verify(createSortedSource(folder), { bucket, prefix: 'q/' })).toMatchObject({ files: 2, failed: 0 });
  });

  it('skips a copy with other parts, and records it in the journal', async () => {
    const folder = createFolder();
    writeFiles(folder, { big: randomBytes(18 * MiB) });
    const bucket = await createBucket();
    const bulk = createTransfer();
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: 'p/' });
    const state = createFolder();
    const methods: string[] = [];
    const send = bulk.store.httpClient.send.bind(bulk.store.httpClient);
    bulk.store.httpClient.send = (request) => (methods.push(request.method), send(request));
    const options = { multipartThreshold: 6 * MiB };
    const sync = async () => {
      const journal = new DiskJournal(state, { keepSettled: true });
      methods.length = 0;
      return bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }, { ...options, journal });
    };
    expect(await sync()).toMatchObject({ files: 1 });
    expect(await sync()).toMatchObject({ files: 0, skipped: 1, unverified: 0 });
    expect(await sync()).toMatchObject({ files: 0, skipped: 1 });
    expect(methods).not.toContain('HEAD');
  });

  it('with compare: checksum skips a copy with other parts', async () => {
    const folder = createFolder();
    writeFiles(folder, { big: randomBytes(18 * MiB), small: 'x' });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const [from, to] = [
      { bucket, prefix: 'p/' },
      { bucket, prefix: 'q/' },
    ];
    const sync = () => bulk.syncWithin(from, to, { compare: 'checksum', multipartThreshold: 6 * MiB });
    await bulk.syncUp(createSortedSource(folder), from);
    expect(await sync()).toMatchObject({ files: 2, skipped: 0 });
    expect(await sync()).toMatchObject({ files: 0, skipped: 2, unverified: 0 });
    await bulk.upload(createSortedSource(folder)(), to, { partSize: 5 * MiB });
    // This product's endpoint keeps checksums of both objects.
    const unverified = s3.isOwn ? 0 : 1;
    for (let run = 1; run <= 2; run++) expect(await sync()).toMatchObject({ files: 0, skipped: 2, unverified });
    writeFiles(folder, { big: randomBytes(18 * MiB) });
    await bulk.syncUp(createSortedSource(folder), from);
    expect(await sync()).toMatchObject({ files: 1, skipped: 1 });
    expect(await bulk.verify(createSortedSource(folder), to)).toMatchObject({ files: 2, failed: 0 });
  });

  it('with compare: checksum ignores the random ETags of an encrypting store', async () => {
    const folder = createFolder();
    writeFiles(folder, { f: 'x' });
    const bucket = await createBucket();
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    await bulk.syncUp(createSortedSource(folder), { bucket, prefix: 'p/' });
    const sync = () => bulk.syncWithin({ bucket, prefix: 'p/' }, { bucket, prefix: 'q/' }, { compare: 'checksum' });
    expect(await sync()).toMatchObject({ files: 1 });
    let count = 0;
    const body = (xml: Buffer) => Buffer.from(xml.toString().replaceAll(/[0-9a-f]{32}/g, () => `${++count}`.padStart(32, '0')));
    proxy.on({ method: 'GET', path: /list-type=2/, fault: { response: { body } } });
    const headers = { 'x-amz-server-side-encryption': 'aws:kms', etag: '"00000000000000000000000000000001"' };
    proxy.on({ method: 'HEAD', fault: { response: { headers } } });
    expect(await sync()).toMatchObject({ files: 0, skipped: 1 });
  });

  it('copies a folder marker with content, which sync to a local folder reports as a failure', async () => {
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
    const downloaded = await bulk.syncDown(from, new FolderTarget(down), createSortedSource(down), {});
    expect(downloaded).toMatchObject({ files: 1, failures: [{ code: 'NameUnsafe', name: 'p/' }] });
    expect(await bulk.verify(createSortedSource(down), from)).toMatchObject({
      files: 1,
      failures: [{ code: 'NotEqual', name: 'p/' }],
    });
    // An empty marker need not be copied.
    await put('p/', '');
    await put('q/', '');
    expect(await bulk.syncWithin(from, { bucket, prefix: 'r/' }, {})).toMatchObject({ files: 1, failed: 0 });
    expect(await bulk.syncUp(createSortedSource(down), to, { delete: true })).toMatchObject({ deleted: 0, failed: 0 });
    expect(await bulk.verify(createSortedSource(down), from)).toMatchObject({ files: 1, failed: 0 });
  });
});
