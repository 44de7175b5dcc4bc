import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { listParts } from '../../src/bulk/s3/commands/list-parts.js';
import { createBulkTransfer, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { listObjects, createBucket, createTransfer, createFolder, s3, createSortedSource } from './s3-store.js';

const MiB = 1024 * 1024;
const quick = { retry: { tries: 3, baseDelay: 5, maxDelay: 10 } };

function createFilledFolder(...names: string[]): string {
  const folder = createFolder();
  for (const name of names) writeFileSync(join(folder, name), name);
  return folder;
}

describe('an unexpected response', () => {
  const closing: (() => void)[] = [];
  afterEach(() => closing.splice(0).forEach((close) => close()));

  /** Starts a server with this listener. @returns a transfer to it */
  async function connectTo(listener: RequestListener): Promise<BulkTransfer> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    return createBulkTransfer({
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    });
  }

  it.each([{}, { etag: 'W/"3f-abc"' }])(
    'that is an HTML page with headers %o fails every operation and deletes nothing',
    async (headers) => {
      const bulk = await connectTo((request, response) => {
        request
          .resume()
          .once('end', () => response.writeHead(200, { 'content-type': 'text/html', ...headers }).end('<!doctype html>'));
      });
      const place = { bucket: 'bucket', prefix: '' };
      const folder = createFilledFolder('a', 'b');
      await expect(
        bulk.syncDown(place, new FolderTarget(folder), createSortedSource(folder), { delete: true }),
      ).rejects.toMatchObject({
        code: 'NotS3',
      });
      expect(readdirSync(folder)).toEqual(['a', 'b']);
      expect(await bulk.delete(place, { keys: ['a'] })).toMatchObject({ deleted: 0, failures: [{ code: 'NotS3' }] });
      const small = await bulk.upload(walk(folder), place, { concurrency: 1 });
      expect(small).toMatchObject({ files: 0 });
      expect(small.failures[0]).toMatchObject({ code: 'NotS3' });
      const big = createFolder();
      writeFileSync(join(big, 'big'), randomBytes(6 * MiB));
      const parts = await bulk.upload(walk(big), place, { partSize: 5 * MiB, multipartThreshold: MiB });
      expect(parts).toMatchObject({ files: 0, failures: [{ code: 'NotS3' }] });
      await expect(bulk.list(place).next()).rejects.toMatchObject({ code: 'NotS3' });
    },
  );

  it.each(['<Message></Message>', ''])(
    'without an error message is reported with the bucket of the request: %s',
    async (message) => {
      const refusal = (code: string) => `<Error><Code>${code}</Code>${message}</Error>`;
      const bulk = await connectTo(({ url }, response) => {
        response.writeHead(400).end(refusal(url!.startsWith('/away') ? 'NoSuchBucket' : 'InvalidArgument'));
      });
      const listing = (bucket: string) => bulk.list({ bucket, prefix: '' }).next();
      await expect(listing('away')).rejects.toMatchObject({ code: 'NoSuchBucket', message: 'There is no bucket away.' });
      const withoutReason = { code: 'InvalidArgument', message: 'The store responded with status 400 and gave no message.' };
      await expect(listing('here')).rejects.toMatchObject(withoutReason);
      // For a copy, either bucket may be missing.
      const request = { method: 'PUT', bucket: 'away', key: 'a', headers: { 'x-amz-copy-source': 'from/a' } };
      await expect(bulk.store.send({ ...request, signal: new AbortController().signal })).rejects.toMatchObject({
        message: 'There is no bucket away or from.',
      });
    },
  );

  it('without an ETag fails a download', async () => {
    const bulk = await connectTo((_, response) => void response.writeHead(200, { 'content-length': '5' }).end('hello'));
    const target = createFolder();
    const down = await bulk.downloadExact({ bucket: 'bucket', prefix: 'a' }, new FolderTarget(target), 'a');
    expect(down).toMatchObject({ files: 0, failures: [{ code: 'NotS3' }] });
    expect(readdirSync(target)).toEqual([]);
  });

  it('without a content length does not count as an empty object', async () => {
    const bulk = await connectTo(({ method }, response) => {
      response.writeHead(200, { etag: '"e"', 'transfer-encoding': 'chunked' }).end(method === 'HEAD' ? undefined : 'hello');
    });
    const missingLength = { code: 'UnexpectedAnswer', message: expect.stringContaining('no content-length') };
    await expect(bulk.read({ bucket: 'bucket', prefix: 'a' }).next()).rejects.toMatchObject(missingLength);
    const down = await bulk.downloadExact({ bucket: 'bucket', prefix: 'a' }, new FolderTarget(createFolder()), 'a');
    expect(down).toMatchObject({ files: 0, failures: [missingLength] });
  });

  it('with status 507 is not retried', async () => {
    let requestCount = 0;
    const bulk = await connectTo((request, response) => {
      requestCount++;
      request.resume().once('end', () => response.writeHead(507).end());
    });
    const summary = await bulk.upload(walk(createFilledFolder('a')), { bucket: 'bucket', prefix: '' }, quick);
    expect(summary.failures).toMatchObject([{ code: 'QuotaExceeded', advice: expect.stringContaining('full') }]);
    expect(requestCount).toBe(1);
  });

  /** A store that supports only version 1 of listings: `marker` instead of a continuation token. */
  const listVersion1 =
    (keys: string[], takesMarker: boolean): RequestListener =>
    ({ url }, response) => {
      const marker = takesMarker ? (new URL(url!, 'http://x').searchParams.get('marker') ?? '') : '';
      const rest = keys.filter((key) => key > marker);
      const contents = rest.slice(0, 2).map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"x"</ETag></Contents>`);
      const body = `<IsTruncated>${rest.length > 2}</IsTruncated>${contents.join('')}`;
      response.end(`<?xml version="1.0"?>\n<ListBucketResult xmlns="x">${body}</ListBucketResult>\n`);
    };
  const listKeys = async (bulk: BulkTransfer): Promise<unknown[]> => {
    const keys = [];
    for await (const entry of bulk.list({ bucket: 'bucket', prefix: '' })) keys.push('key' in entry && entry.key);
    return keys;
  };

  it('that repeats the same parts ends the listing of parts', async () => {
    const part = '<Part><PartNumber>1</PartNumber><Size>5</Size><ETag>"x"</ETag></Part>';
    for (const marker of ['', '<NextPartNumberMarker>0</NextPartNumberMarker>']) {
      const page = `<ListPartsResult><IsTruncated>true</IsTruncated>${marker}${part}</ListPartsResult>`;
      const { store } = await connectTo((_, response) => void response.end(page));
      const request = { bucket: 'bucket', key: 'a', uploadId: 'u', signal: new AbortController().signal };
      expect(await listParts(store, request)).toHaveLength(1);
    }
  });

  it('that repeats the same pages ends the listing of uploads', async () => {
    let requestCount = 0;
    const marker = () => `<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u${++requestCount % 2}</NextUploadIdMarker>`;
    const page = () => `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>${marker()}</ListMultipartUploadsResult>`;
    const bulk = await connectTo((_, response) => void response.end(page()));
    await expect(bulk.unfinished({ bucket: 'bucket', prefix: '' }).next()).rejects.toMatchObject({ code: 'ListingBroken' });
    expect(requestCount).toBeLessThan(10);
  });

  it('is closed if the caller stops reading', async () => {
    const size = 40 * MiB;
    const [open, closed] = [new Set<string>(), new Set<string>()];
    const bulk = await connectTo(({ method, headers: { range = '' } }, response) => {
      const headers = { etag: '"x-5"', 'x-amz-meta-svc-part-size': 8 * MiB };
      if (method === 'HEAD') return void response.writeHead(200, { ...headers, 'content-length': size }).end();
      response.writeHead(206, { ...headers, 'content-length': 8 * MiB });
      if (range.startsWith('bytes=0-')) return void response.end(Buffer.alloc(8 * MiB));
      open.add(range);
      return void response.once('close', () => closed.add(range)).write('not all');
    });
    for await (const _ of bulk.read({ bucket: 'bucket', prefix: 'a' })) break;
    await expect.poll(() => closed.size).toBe(3);
    expect(open).toEqual(closed);
  });

  it('without a continuation token is continued after its last key, or fails', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    expect(await listKeys(await connectTo(listVersion1(keys, true)))).toEqual(keys);
    await expect(listKeys(await connectTo(listVersion1(keys, false)))).rejects.toMatchObject({ code: 'UnexpectedAnswer' });
  });
});

describe('a response with status 200', () => {
  it('that is a truncated listing is retried and never used', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const folder = createFilledFolder('a', 'b', 'c');
    const place = { bucket: await createBucket(), prefix: '' };
    await bulk.upload(walk(folder), place);
    const cut = (xml: Buffer): Buffer => xml.subarray(0, xml.indexOf('</Contents>') + '</Contents>'.length);
    const truncated = proxy.on({
      method: 'GET',
      path: /list-type/,
      times: 1,
      fault: { response: { headers: { 'content-length': null }, body: cut } },
    });
    const down = () => bulk.syncDown(place, new FolderTarget(folder), createSortedSource(folder), { delete: true, ...quick });
    expect(await down()).toMatchObject({ skipped: 3, deleted: 0, failed: 0, retries: 1 });
    truncated.remove();
    proxy.on({ method: 'GET', path: /list-type/, fault: { response: { headers: { 'content-length': null }, body: cut } } });
    await expect(down()).rejects.toMatchObject({ code: 'ConnectionFailed' });
    expect(readdirSync(folder)).toEqual(['a', 'b', 'c']);
  });

  it('that contains an error counts as that error', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const place = { bucket: await createBucket(), prefix: '' };
    await bulk.upload(walk(createFilledFolder('a', 'b')), place);
    const errorResponse = (code: string) => ({ respond: { status: 200, body: `<Error><Code>${code}</Code></Error>` } });
    proxy.on({ method: 'POST', path: /delete/, times: 1, fault: errorResponse('AccessDenied') });
    proxy.on({ method: 'POST', path: /delete/, skip: 1, times: 1, fault: errorResponse('InternalError') });
    proxy.on({ method: 'PUT', path: /copied/, times: 1, fault: errorResponse('InternalError') });
    const copy = { ...place, prefix: 'copied' };
    expect(await bulk.copy({ ...place, prefix: 'a' }, copy, { ...quick, exact: true })).toMatchObject({ files: 1, retries: 1 });
    expect(await bulk.delete({ ...place, prefix: '' }, { ...quick, keys: ['copied', 'b'] })).toMatchObject({
      deleted: 0,
      failures: [{ name: 'copied', code: 'AccessDenied' }, { name: 'b' }],
    });
    expect(await listObjects(bulk, place.bucket)).toHaveLength(3);
    expect(await bulk.delete(place, quick)).toMatchObject({ deleted: 3, failed: 0, retries: 1 });
    expect(await listObjects(bulk, place.bucket)).toEqual([]);
  });
});

describe('a single HTML page in place of a response', () => {
  it('costs one try of one file', async () => {
    const folder = createFilledFolder('a', 'b', 'c');
    const place = { bucket: await createBucket(), prefix: '' };
    await createTransfer().upload(walk(folder), place);
    await using proxy = await startFaultProxy(s3.endpoint);
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' };
    const pageOnce = proxy.on({ method: 'GET', path: /\/b$/, times: 1, fault: { respond: page } });
    proxy.on({ method: 'GET', path: /\/c$/, fault: { respond: page } });
    const summary = await createTransfer({ endpoint: proxy.url }).download(place, new FolderTarget(createFolder()), {
      ...quick,
      concurrency: 1,
    });
    expect(pageOnce.hits).toBe(1);
    expect(summary).toMatchObject({ files: 2, failed: 1, failures: [{ name: 'c', code: 'NotS3', tries: 3 }] });
  });
});
