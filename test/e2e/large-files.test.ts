// Starts early: waits for the next attempts of many uploads.
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { startHttp2Proxy } from '../support/http2-proxy.js';
import type { Http2Proxy } from '../support/http2-proxy.js';
import { fileInputOf, launchChromium } from './chromium-page.js';
import { createFile } from './sample-files.js';
import { serveSite } from './site-server.js';
import type { PageServer } from './site-server.js';
import { startProduct } from './product.js';
import type { OwnProduct } from './product.js';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
let product: OwnProduct;
let browser: Browser;
let proxy: Http2Proxy;
let folder: string;
let site: PageServer;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-large-'));
  [product, browser] = await Promise.all([startProduct(), launchChromium('--ignore-certificate-errors')]);
  proxy = await startHttp2Proxy(product.service, folder);
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await page?.close();
  await site?.stop();
});

/** Opens a page whose element uploads to an address. @param before a script that runs before those of the page */
async function visit(endpoint: string, { scripts = ['/assets/v1/svc-uploader.js'], csp = '', before = '' } = {}): Promise<void> {
  const tags = scripts.map((script) => `<script type="module" src="${script}"></script>`).join('');
  const body = `${tags}<svc-uploader token-endpoint="/token" endpoint="${endpoint}" multiple></svc-uploader>`;
  site = await serveSite(product, { csp, body, script: '' });
  page = await browser.newPage();
  await page.addInitScript(before);
  await page.goto(site.origin);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
}
const choose = (paths: string[]) => fileInputOf(page, 'svc-uploader').setInputFiles(paths);
const element = <T>(act: (el: SvcUploader) => T) => page.$eval('svc-uploader', act as (el: Element) => T) as Promise<T>;
const done = () => element((el) => el.uploads.filter(({ state }) => state.status === 'done').length);

describe('over HTTP/2', () => {
  it('every file is stored once, although sessions break with all of their requests', async () => {
    await visit(proxy.url);
    const sizes = [...Array<number>(60).fill(5000), ...Array<number>(8).fill(600_000), 24 * MiB];
    const files = await Promise.all(sizes.map((size, at) => createFile(join(folder, 'many'), `${at}.bin`, size)));
    proxy.breakSessions(3, 4 * MiB);
    await choose(files.map(({ path }) => path));
    await expect.poll(done, { timeout: 90_000 }).toBe(files.length);
    const stored = (await product.listFiles('strict/')).map(({ sha256 }) => sha256).toSorted();
    expect(stored).toEqual(files.map(({ sha256 }) => sha256).toSorted());
    expect(proxy.requests.filter((one) => one.startsWith('POST')).length).toBeGreaterThan(0);
  });
});

describe('a file of 10 GiB', () => {
  it('starts without being read first, and leaves nothing in the service after it is removed', async () => {
    // Counts what the page itself reads of files.
    await visit(product.service, {
      before: `globalThis.bytesRead = 0;
        const { arrayBuffer, stream } = Blob.prototype;
        Blob.prototype.arrayBuffer = function () { bytesRead += this.size; return arrayBuffer.call(this); };
        Blob.prototype.stream = function () { bytesRead += this.size; return stream.call(this); };`,
    });
    const path = join(folder, 'sparse.bin');
    await writeFile(path, '');
    await truncate(path, 10 * GiB);
    await choose([path]);
    const sent = () => element((el) => el.uploads.map(({ state }) => ('sent' in state ? state.sent : -1)));
    await expect.poll(async () => (await sent())[0]).toBeGreaterThan(MiB);
    const read = await page.evaluate(() => (globalThis as unknown as { bytesRead: number }).bytesRead);
    expect(read).toBeLessThan(MiB);
    await element((el) => el.clear());
    const running = async () => {
      const response = await fetch(`${product.service}/v1/stats`, { headers: { authorization: `Bearer ${product.apiKey}` } });
      return ((await response.json()) as { response: { uploads_in_progress: number } }).response.uploads_in_progress;
    };
    await expect.poll(running).toBe(0);
  });
});

describe('two copies of the script on one page', () => {
  const scripts = ['/assets/v1/svc-uploader.js', '/assets/v1/svc-uploader.js?second'];

  it.each([
    ['on any page', "script-src 'self'"],
    ['under Trusted Types', "require-trusted-types-for 'script'; trusted-types lit-html svc-uploader 'allow-duplicates'"],
  ])('upload with the first, without an error, %s', async (_where, csp) => {
    await visit(product.service, {
      scripts,
      csp,
      before: `globalThis.problems = [];
        addEventListener('error', ({ message }) => problems.push(message));
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => problems.push(effectiveDirective));`,
    });
    const file = await createFile(folder, 'twice.bin', 5000);
    await choose([file.path]);
    await expect.poll(done).toBe(1);
    expect(await page.evaluate(() => (globalThis as unknown as { problems: string[] }).problems)).toEqual([]);
  });
});
