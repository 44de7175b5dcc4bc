import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { createServer } from 'vite';
import type { ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { client, listUnfinishedUploads, listObjects, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

/** A page that uploads the files of an input with the browser build of the adapter. It keeps credentials in memory only. */
const PAGE = `<!doctype html><input type="file" id="folder" webkitdirectory><input type="file" id="files" multiple><script type="module">
import { createBulkTransfer, fileSources, IndexedJournal } from '/src/bulk/index.ts';
const result = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
const readStorage = async () => {
  const database = await result(indexedDB.open('svc-uploader-s3'));
  const records = await result(database.transaction('records').objectStore('records').getAll());
  database.close();
  return JSON.stringify([records, { ...localStorage }]);
};
window.send = async (input, options, to) => {
  const bulk = createBulkTransfer(options);
  let last;
  const journal = await IndexedJournal.open(to.bucket);
  const summary = await bulk.upload(fileSources(document.getElementById(input).files), to, { journal, partSize: 5 * 1024 * 1024, retry: { tries: 2, baseDelay: 10 }, onProgress: (progress) => (last = progress) });
  return { summary, last, stored: await readStorage() };
};
window.openJournal = async () => (window.journal = await IndexedJournal.open('tabs'));
window.ready = true;
</script>`;

describe('bulk upload in a browser', () => {
  let vite: ViteDevServer;
  let browser: Browser;
  let address: string;

  beforeAll(async () => {
    vite = await createServer({
      configFile: false,
      appType: 'custom',
      logLevel: 'error',
      server: { port: 0, host: '127.0.0.1', hmr: false, ws: false, watch: null },
      optimizeDeps: { include: ['@aws-sdk/client-s3'], entries: [] },
      plugins: [
        {
          name: 'page',
          configureServer: (server) => () =>
            void server.middlewares.use((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE)),
        },
      ],
    });
    await vite.listen();
    address = `http://127.0.0.1:${(vite.httpServer!.address() as AddressInfo).port}/`;
    browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    await vite?.close();
  });

  async function createBucketForPages(): Promise<string> {
    const Bucket = await createBucket();
    const rule = {
      AllowedOrigins: ['*'],
      AllowedMethods: ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag'],
    };
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }));
    return Bucket;
  }

  const openPage = async (): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(address);
    await page.waitForFunction('window.ready');
    return page;
  };

  const transferOptions = (endpoint: string) => ({
    endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
  });

  const send = (page: Page, input: string, endpoint: string, bucket: string) =>
    page.evaluate(
      ([name, settings, to]) => (window as unknown as { send: (...args: unknown[]) => Promise<never> }).send(name, settings, to),
      [input, transferOptions(endpoint), { bucket, prefix: 'in/' }] as const,
    ) as Promise<{ summary: Record<string, unknown>; last: { totalFiles: number; bytes: number }; stored: string }>;

  it('uploads a folder and a multipart file, and stores no credentials or keys', async () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'in/sub'), { recursive: true });
    for (let i = 0; i < 100; i++) writeFileSync(join(folder, `in/sub/f ${i}`), randomBytes(2000));
    writeFileSync(join(folder, 'in/big'), randomBytes(12 * MiB));
    const bucket = await createBucketForPages();
    const page = await openPage();
    await page.setInputFiles('#folder', join(folder, 'in'));
    const { summary, last, stored } = await send(page, 'folder', s3.endpoint, bucket);
    expect(summary).toMatchObject({ files: 101, failed: 0 });
    expect(last).toMatchObject({ totalFiles: 101 });
    expect(last.bytes).toBeGreaterThan(12 * MiB);
    expect(stored).toBe('[[],{}]');
    expect(await createTransfer().verify(() => walk(folder, { sorted: true }), { bucket, prefix: 'in/' })).toMatchObject({
      files: 101,
      failed: 0,
    });
    await page.close();
  });

  it('resumes after a reload if the same file is chosen again', async () => {
    const folder = createFolder();
    const bytes = randomBytes(31 * MiB);
    writeFileSync(join(folder, 'big'), bytes);
    const bucket = await createBucketForPages();
    await using proxy = await startFaultProxy(s3.endpoint);
    const page = await openPage();
    await page.setInputFiles('#files', join(folder, 'big'));
    const refused = proxy.on({ method: 'PUT', path: /partNumber=[4-7]/, fault: { respond: { status: 500 } } });
    const failed = await send(page, 'files', proxy.url, bucket);
    expect(failed.summary).toMatchObject({ files: 0, failed: 1 });
    expect(failed.stored).toContain('uploadId');
    expect(failed.stored).not.toContain(s3.secretAccessKey);
    expect(await listUnfinishedUploads(bucket)).toEqual(['in/big']);
    refused.remove();
    await page.reload();
    await page.waitForFunction('window.ready');
    await page.setInputFiles('#files', join(folder, 'big'));
    const before = proxy.requests.length;
    const { summary, stored } = await send(page, 'files', proxy.url, bucket);
    expect(summary).toMatchObject({ files: 1, failed: 0 });
    const sentParts = proxy.requests.slice(before).filter(({ method, path }) => method === 'PUT' && path.includes('partNumber'));
    expect(sentParts).toHaveLength(4);
    expect(stored).toBe('[[],{}]');
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
    const [entry] = await listObjects(createTransfer(), bucket);
    const hash = createHash('sha256');
    for await (const piece of createTransfer().read({ bucket, prefix: entry!.key })) hash.update(piece);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    await page.close();
  });

  it('gives each tab its own journal, which survives a reload', async () => {
    const context = await browser.newContext();
    context.setDefaultTimeout(120_000);
    const openJournal = async (page: Page): Promise<unknown> => {
      await page.goto(address);
      await page.waitForFunction('window.ready');
      return page.evaluate('openJournal().then((journal) => [...journal.unfinished.keys()])');
    };
    const [first, second] = [await context.newPage(), await context.newPage()];
    const begin = `journal.begin({ key: 'k', size: 1, version: '', partSize: 1, begunMs: 0 })`;
    expect(await openJournal(first)).toEqual([]);
    await first.evaluate(`${begin}.then(() => journal.complete('s'))`);
    expect(await openJournal(second)).toEqual([]);
    await second.evaluate('journal.clear()');
    expect(await openJournal(first)).toEqual(['k']);
    expect(await first.evaluate('[journal.settledCount, journal.forgetSettled(), journal.settledCount]')).toEqual([
      1,
      undefined,
      0,
    ]);
    expect(await openJournal(first)).toEqual(['k']);
    expect(await first.evaluate('journal.settledCount')).toBe(0);

    // A tab takes over the uploads of a closed tab. Its own upload to the same key wins.
    await second.evaluate(
      `${begin}.then(() => ${begin.replace("'k'", "'other'")}).then(() => journal.setUploadId('other', 'id'))`,
    );
    await second.evaluate(`journal.addPart('other', { number: 1, etag: 'e', checksum: 'c' })`);
    await second.evaluate(`journal.setUploadId('k', 'not this one')`);
    expect(await openJournal(first)).toEqual(['k']);
    await second.close();
    expect(await openJournal(first)).toEqual(['k', 'other']);
    expect(await first.evaluate(`[journal.unfinished.get('k').uploadId, journal.unfinished.get('other').parts.size]`)).toEqual([
      undefined,
      1,
    ]);
    await first.evaluate(`journal.end('k')`);
    expect(await openJournal(first)).toEqual(['other', 'k']);
    await context.close();
  });
});
