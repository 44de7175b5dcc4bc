import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkOptions, NodeHttpClientOptions } from '../../src/bulk/node/index.js';
import type { Progress, TransferEvent } from '../../src/bulk/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  verifyBucket,
  listUnfinishedUploads,
  listObjects,
  createTree,
  createBucket,
  createTransfer,
  createFolder,
  s3,
} from './s3-store.js';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
/** The size of larger files in tests that need no file of several parts. */
const SMALL = 100_000;
const quick = { retry: { tries: 20, baseDelay: 5, maxDelay: 50 } };

describe('a transfer over a faulty network', () => {
  let proxy: FaultProxy;
  afterEach(() => proxy.close());
  const createTransferThroughProxy = async (options: Partial<BulkOptions & NodeHttpClientOptions> = {}) => {
    proxy = await startFaultProxy(s3.endpoint);
    return createTransfer({ endpoint: proxy.url, ...options });
  };

  it('completes despite cut requests, lost responses and many 503 responses', async () => {
    const folder = createTree();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    let turn = 0;
    const every = (n: number) => () => ++turn % n === 0;
    proxy.on({ method: 'PUT', when: every(5), fault: { cutRequestAt: 1500 } });
    proxy.on({ method: 'PUT', when: every(7), fault: { dropResponse: true } });
    proxy.on({ when: every(4), fault: { respond: { status: 503 } } });
    proxy.on({ method: 'POST', path: /uploadId=/, times: 2, fault: { dropResponse: true } });
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { partSize: PART, ...quick });
    expect(summary).toMatchObject({ files: 42, failed: 0 });
    expect(summary.retries).toBeGreaterThan(10);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 42, failed: 0 });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);

    const target = createFolder();
    proxy.on({ method: 'GET', when: every(5), fault: { cutResponseAt: 700 } });
    const down = await bulk.download({ bucket, prefix: '' }, new FolderTarget(target), { partSize: PART, ...quick });
    expect(down).toMatchObject({ files: 42, failed: 0 });
    for (const name of ['big1', 'big2', 'd/f7'])
      expect(readFileSync(join(target, name)).equals(readFileSync(join(folder, name)))).toBe(true);
  });

  it('finds that an upload is complete if the response was lost', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'big'), randomBytes(12 * MiB));
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    const completes = { method: 'POST', path: /uploadId=/ };
    for (const code of ['NoSuchUpload', 'NoSuchKey']) {
      const lost = proxy.on({ ...completes, times: 1, fault: { dropResponse: true } });
      const body = `<Error><Code>${code}</Code></Error>`;
      const missing = proxy.on({ ...completes, skip: 1, fault: { respond: { status: 404, body } } });
      const upload = (prefix: string) =>
        bulk.upload(walk(folder), { bucket, prefix }, { partSize: PART, multipartThreshold: PART, ...quick });
      expect(await upload(code)).toMatchObject({ files: 1, failed: 0 });
      lost.remove();
      // An upload that was not completed fails.
      expect(await upload('never/')).toMatchObject({ files: 0, failures: [{ code }] });
      missing.remove();
    }
  });

  it('sends and fetches damaged bytes again', async () => {
    const folder = createTree();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.on({ method: 'PUT', times: 12, fault: { request: { flipByteAt: 1000 } } });
    const up = await bulk.upload(walk(folder), { bucket, prefix: '' }, { partSize: PART, ...quick });
    expect(up).toMatchObject({ files: 42, failed: 0 });
    expect(up.retries).toBeGreaterThan(5);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 42, failed: 0 });

    proxy.on({ method: 'GET', path: /\/d\/f/, times: 6, fault: { response: { flipByteAt: 1000 } } });
    const target = createFolder();
    const down = await bulk.download({ bucket, prefix: '' }, new FolderTarget(target), quick);
    expect(down).toMatchObject({ files: 42, failed: 0, retries: 6 });
  });

  it('never stores a file with a damaged range', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'big'), randomBytes(17 * MiB));
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    proxy.on({ method: 'GET', path: /\/big/, times: 1, fault: { response: { flipByteAt: 5 } } });
    const target = createFolder();
    const down = await bulk.download({ bucket, prefix: '' }, new FolderTarget(target), quick);
    expect(down.failures).toMatchObject([{ name: 'big', code: 'ChecksumMismatch' }]);
    expect([...walk(target)]).toEqual([]);
    expect(existsSync(join(target, 'big'))).toBe(false);
  });

  it('fails a file if the store returns a wrong checksum', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.on({ method: 'PUT', path: /\/d\/f3/, fault: { response: { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } } } });
    const retry = { ...quick.retry, tries: 3 };
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { retry });
    const wrongFiles = [...walk(folder)].filter((file) => file.path.startsWith('d/f3')).map((file) => file.path);
    expect(summary).toMatchObject({ files: 42 - wrongFiles.length, failed: wrongFiles.length });
    expect(summary.failures.map((failure) => failure.name).sort()).toEqual(wrongFiles.sort());
    for (const failure of summary.failures) expect(failure).toMatchObject({ code: 'ChecksumMismatch', tries: 3 });
  });

  it('retries a stalled request on a new connection', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy({ stallSeconds: 1 });
    proxy.on({ method: 'PUT', skip: 3, times: 3, fault: { stallRequestAt: 100 } });
    proxy.on({ method: 'PUT', skip: 9, times: 1, fault: { stallResponseAt: 0 } });
    const events: TransferEvent[] = [];
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { ...quick, onEvent: (event) => events.push(event) });
    expect(summary).toMatchObject({ files: 42, failed: 0 });
    expect(events.filter((event) => event.type === 'retry' && event.code === 'Stalled').length).toBeGreaterThan(0);
  });

  it('obeys retry-after and sends fewer requests at once', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.on({ method: 'PUT', times: 2, fault: { respond: { status: 429, headers: { 'retry-after': '1' } } } });
    const events: TransferEvent[] = [];
    let concurrency = Number.POSITIVE_INFINITY;
    const summary = await bulk.upload(
      walk(folder),
      { bucket, prefix: '' },
      {
        onEvent: (event) => events.push(event),
        onProgress: (progress) => (concurrency = Math.min(concurrency, progress.concurrency)),
      },
    );
    expect(summary).toMatchObject({ files: 42, failed: 0 });
    expect(concurrency).toBeLessThanOrEqual(8);
    for (const event of events) if (event.type === 'retry') expect(event.delayMs).toBeGreaterThanOrEqual(1000);
  });

  it('continues if the store refuses a single file', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.on({ path: /\/d\/f11$/, fault: { respond: { status: 403 } } });
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' });
    expect(summary).toMatchObject({ files: 41, failed: 1, retries: 0 });
    expect(summary.failures).toMatchObject([{ action: 'upload', name: 'd/f11', code: 'AccessDenied', tries: 1 }]);
    expect(summary.failures[0]!.advice).toContain('policy');
  });

  it('retries HTML responses, and fails only the file that always gets one', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>default backend</html>' };
    const deploying = proxy.on({ method: 'PUT', skip: 10, times: 3, fault: { respond: page } });
    const slow = { ...quick, concurrency: 2 };
    expect(await bulk.upload(walk(folder), { bucket, prefix: '' }, slow)).toMatchObject({ files: 42, failed: 0 });
    expect(deploying.hits).toBe(3);
    proxy.on({ path: /\/d\/f11/, fault: { respond: page } });
    const body = '<Error><Code>SignatureDoesNotMatch</Code></Error>';
    proxy.on({ path: /\/d\/f12/, fault: { respond: { status: 403, body } } });
    const few = { concurrency: 2, retry: { ...quick.retry, tries: 2 } };
    const failures = [
      { name: 'd/f11', code: 'NotS3', tries: 2 },
      { name: 'd/f12', code: 'SignatureDoesNotMatch', tries: 1 },
    ];
    const up = await bulk.upload(walk(folder, { sorted: true }), { bucket, prefix: '' }, few);
    expect(up).toMatchObject({ files: 40, failed: 2 });
    expect(up.failures.sort((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject(failures);
    expect(await bulk.download({ bucket, prefix: '' }, new FolderTarget(createFolder()), few)).toMatchObject({
      files: 40,
      failed: 2,
    });
  });

  it('ends early if the credentials become invalid', async () => {
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    const body = '<Error><Code>SignatureDoesNotMatch</Code></Error>';
    const files = Array.from({ length: 300 }, (_, index) => ({ path: `${index}`, size: 0, directory: true as const }));
    const replaced = proxy.on({ skip: 20, fault: { respond: { status: 403, body } } });
    const summary = await bulk.upload(files, { bucket, prefix: '' }, { concurrency: 4 });
    expect(summary.failures.at(-1)).toMatchObject({ code: 'SignatureDoesNotMatch' });
    expect(summary).toMatchObject({ ended: 'SignatureDoesNotMatch', undone: 300 - summary.files - summary.failed });
    expect(replaced.hits).toBeLessThan(40);
    replaced.remove();
    // If other files succeed, many wrong signatures do not end the transfer.
    const wrongSignatures = proxy.on({ path: /\/1\d\d\/$/, fault: { respond: { status: 403, body } } });
    expect(await bulk.upload(files, { bucket, prefix: '' }, { concurrency: 4 })).toMatchObject({ files: 200, failed: 100 });
    expect(wrongSignatures.hits).toBe(100);
  });

  it('reports one failure if the bucket disappears', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    const body = '<Error><Code>NoSuchBucket</Code></Error>';
    proxy.on({ method: 'PUT', skip: 5, fault: { delay: 20, respond: { status: 404, body } } });
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, quick);
    expect(summary).toMatchObject({ failed: 1, failures: [{ code: 'NoSuchBucket' }] });
  });

  it('does not count bytes of cut requests as progress', async () => {
    const [folder, bucket, bulk] = [createFolder(), await createBucket(), await createTransferThroughProxy()];
    writeFileSync(join(folder, 'f'), randomBytes(8 * MiB));
    proxy.on({ method: 'PUT', times: 5, fault: { cutRequestAt: 3 * MiB } });
    const progressBytes: number[] = [];
    const onProgress = ({ bytes }: Progress): void => void progressBytes.push(bytes);
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { retry: { ...quick.retry, tries: 8 }, onProgress });
    expect(summary).toMatchObject({ files: 1, failed: 0, bytes: 8 * MiB });
    expect(progressBytes.at(-1)).toBe(8 * MiB);
  });

  it.each([
    ['written by the HTTP client', undefined],
    ['delivered through the bandwidth limit', 1024 * MiB],
  ])('does not count bytes of cut responses as progress if they are %s', async (_, bandwidth) => {
    const [folder, bucket] = [createFolder(), await createBucket()];
    for (const [name, size] of [
      ['small', 100_000],
      ['middle', 2 * MiB],
      ['large', 12 * MiB],
    ] as const)
      writeFileSync(join(folder, name), randomBytes(size));
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    const bulk = await createTransferThroughProxy({ ...(bandwidth !== undefined && { bandwidth }) });
    proxy.on({ method: 'GET', path: /small|middle|large/, times: 8, fault: { cutResponseAt: 50_000 } });
    let last: Progress | undefined;
    const options = { ...quick, partSize: PART, onProgress: (progress: Progress): void => void (last = progress) };
    const summary = await bulk.download({ bucket, prefix: '' }, new FolderTarget(createFolder()), options);
    expect(summary).toMatchObject({ files: 3, failed: 0 });
    expect(summary.retries).toBeGreaterThan(4);
    expect(last).toMatchObject({ bytes: 14 * MiB + 100_000, totalBytes: 14 * MiB + 100_000 });
  });

  it('spends the retry budget, not tries for each file, if the store is down', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    proxy.offline();
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { retry: { ...quick.retry, budget: 20 } });
    expect(summary).toMatchObject({ files: 0, failed: 42, retries: 20 });
    expect(proxy.requests).toEqual([]);
  });

  it('needs no retry for idle connections that the store has closed', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    await bulk.upload(walk(folder), { bucket, prefix: '' });
    proxy.offline();
    proxy.online();
    expect(await bulk.upload(walk(folder), { bucket, prefix: '' })).toMatchObject({ files: 42, failed: 0, retries: 0 });
  });

  it('corrects a clock that is hours off', async () => {
    const folder = createTree(SMALL);
    const bucket = await createBucket();
    proxy = await startFaultProxy(s3.endpoint);
    for (const hours of [-7, 20]) {
      const bulk = createTransfer({ endpoint: proxy.url, now: () => Date.now() + hours * 3_600_000 });
      expect(await bulk.upload(walk(folder), { bucket, prefix: `${hours}/` }, quick)).toMatchObject({ files: 42, failed: 0 });
      expect(await listObjects(bulk, bucket, `${hours}/`)).toHaveLength(42);
      // A response to HEAD has no body that names the reason.
      const fresh = createTransfer({ endpoint: proxy.url, now: () => Date.now() + hours * 3_600_000 });
      const from = { bucket, prefix: `${hours}/d/f1` };
      expect(await fresh.downloadExact(from, new FolderTarget(createFolder()), 'f')).toMatchObject({ files: 1, failed: 0 });
    }
  });

  it('names the host if it does not exist', async () => {
    await createTransferThroughProxy();
    const bulk = createTransfer({ endpoint: 'http://store.invalid:1' });
    const folder = createFolder();
    writeFileSync(join(folder, 'f'), 'x');
    const summary = await bulk.upload(walk(folder), { bucket: 'any', prefix: '' }, { retry: { tries: 2, baseDelay: 1 } });
    expect(summary).toMatchObject({ files: 0, failed: 1 });
    expect(summary.failures[0]).toMatchObject({ code: 'ConnectionFailed', tries: 2 });
    expect(summary.failures[0]!.message).toContain('store.invalid');
  });
});
