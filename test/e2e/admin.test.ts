// Long because all tests of the page share one product, proxy and record of keys.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import {
  waitUntilComplete,
  countUploaded,
  routeEndpointThrough,
  createKeyPair,
  openAdmin,
  SOON,
  waitForNextCount,
} from './admin-page.js';
import { closeContexts, fileInputOf, useChromium, openWatchedPage } from './chromium-page.js';
import type { WatchedPage } from './chromium-page.js';
import { createFile } from './sample-files.js';
import type { SampleFile } from './sample-files.js';
import { startProduct } from './product.js';
import type { OwnProduct } from './product.js';

const MiB = 1024 ** 2;
const PART = 8 * MiB;

let product: OwnProduct;
let browser: Browser;
let folder: string;
let proxy: FaultProxy;
let context: BrowserContext;
let watched: WatchedPage;
/** Key pairs that the backend gave to the page. */
let grants: { access_key_id: string; secret_access_key: string; expires_at: string }[];

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([startProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-admin-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await rm(folder, { recursive: true, force: true });
  expect(await product?.stop()).toBe(0);
});
beforeEach(async () => {
  proxy = await startFaultProxy(`http://127.0.0.1:${product.ports[1]}`);
  context = await browser.newContext();
  watched = await openWatchedPage(context);
  grants = [];
  watched.page.on('response', async (response) => {
    if (!response.url().endsWith('/admin/keys')) return;
    // The body of a closed page cannot be read.
    const grant = (await response.json().catch(() => undefined)) as (typeof grants)[number] | undefined;
    if (grant) grants.push(grant);
  });
  await routeEndpointThrough(watched.page, proxy.url);
});
afterEach(async () => {
  await context.close();
  await proxy.close();
});

const open = (page: Page) => openAdmin(page, product);

const put = (request: SeenRequest) => request.method === 'PUT';
const targets = (requests: readonly SeenRequest[]) => requests.map(({ path }) => path.replace(/&uploadId=[^&]*/, ''));

/** Reads everything that outlives the page, and everything that is visible in it. */
const readPersisted = (page: Page) =>
  page.evaluate(async () => {
    const waitFor = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error as DOMException);
      });
    const records: unknown[] = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await waitFor(indexedDB.open(name!));
      for (const store of database.objectStoreNames)
        records.push(await waitFor(database.transaction(store).objectStore(store).getAll()));
      database.close();
    }
    const fields = [...document.querySelectorAll('input')].map(({ value }) => value);
    const seen = [document.documentElement.outerHTML, location.href, document.cookie, fields];
    return { records, text: JSON.stringify([records, { ...localStorage }, { ...sessionStorage }, seen]) };
  });

describe('the admin page', () => {
  it('continues after a reload without sending stored parts again, and keeps keys in memory only', async () => {
    const { page, consoleErrors } = watched;
    const root = join(folder, 'move');
    const small = await Promise.all(
      Array.from({ length: 60 }, (_, at) => createFile(join(root, `d${at % 12}`), `Fänge #${at}.txt`, 1000 + at)),
    );
    const big = await createFile(root, 'film.bin', 64 * MiB);
    await open(page);
    // Half of the parts arrive. The others stall until the page is gone.
    const stall = proxy.on({ method: 'PUT', path: /partNumber=[5-8]&/, fault: { stallRequestAt: MiB } });
    await fileInputOf(page, '#uploader').setInputFiles(root);
    await expect.poll(() => countUploaded(page), { timeout: 90_000 }).toBe(small.length);
    await expect
      .poll(
        () => proxy.requests.filter((one) => put(one) && /partNumber=[1-4]&/.test(one.path) && one.status === 200).length,
        SOON,
      )
      .toBe(4);
    await expect.poll(async () => (await readPersisted(page)).records.flat().length, SOON).toBe(small.length + 1 + 4);
    const first = [...proxy.requests];
    const sent = new Set(targets(first.filter((one) => put(one) && one.status === 200)));
    expect(sent.size).toBe(small.length + 4);

    stall.remove();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.waitForSelector('#unfinished:not([hidden])');
    expect(await page.locator('#unfinished-text').textContent()).toContain(
      '60 files are finished. 33.6 MB of 1 large file is stored.',
    );
    const hidden = page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          const report = (): void => resolve(document.querySelector<HTMLElement>('#unfinished')!.hidden === true);
          document.querySelector('#uploader')!.addEventListener('svc-upload-progress', report, { once: true });
        }),
    );
    await fileInputOf(page, '#uploader').setInputFiles(root);
    // "Discard" would end the running transfer, so it is hidden.
    expect(await hidden).toBe(true);
    await waitUntilComplete(page);
    const second = proxy.requests.slice(first.length).filter(put);
    expect(targets(second).filter((path) => sent.has(path))).toEqual([]);
    expect(second.reduce((sum, one) => sum + one.requestBytes, 0)).toBe(big.size - 4 * PART);
    const headRequests = proxy.requests.slice(first.length).filter(({ method }) => method === 'HEAD');
    expect(headRequests, 'a listing of each folder finds the stored files').toEqual([]);

    const stored = await product.listFiles('demo/admin/move');
    const sums = (files: readonly (SampleFile | { path: string; sha256: string })[]) =>
      files.map(({ sha256 }) => sha256).toSorted();
    expect(sums(stored)).toEqual(sums([...small, big]));
    expect(stored.find(({ sha256 }) => sha256 === small[13]!.sha256)!.path).toBe('demo/admin/move/d1/Fänge #13.txt');

    const { records, text } = await readPersisted(page);
    expect(records.flat()).toEqual([]);
    expect(grants.length).toBeGreaterThanOrEqual(2);
    for (const { secret_access_key, access_key_id } of grants) {
      expect(text).not.toContain(secret_access_key);
      expect(text).not.toContain(access_key_id);
      expect(watched.requests.join('\n')).not.toContain(secret_access_key);
    }
    expect(consoleErrors.filter((one) => !one.includes('net::ERR_'))).toEqual([]);
    const pairs = async () => {
      const reply = await fetch(`${product.service}/v1/s3-credentials`, {
        headers: { authorization: `Bearer ${product.apiKey}` },
      });
      const { response } = (await reply.json()) as { response: { s3_credentials: { access_key_id: string; prefix: string }[] } };
      return response.s3_credentials;
    };
    expect(await pairs()).toEqual(expect.arrayContaining([expect.objectContaining({ prefix: 'demo/admin' })]));
    await page.goto('about:blank');
    await expect.poll(pairs, SOON).toEqual([]);
  });

  it('skips files that are already stored, and sends a changed one', async () => {
    const { page, consoleErrors } = watched;
    const root = join(folder, 'again');
    for (let at = 0; at < 20; at++) await createFile(root, `${at}.txt`, 2000);
    await open(page);
    await fileInputOf(page, '#uploader').setInputFiles(root);
    await waitUntilComplete(page);
    const before = proxy.requests.length;
    const changed = await createFile(root, '7.txt', 2000);
    await page.click('#uploader .summary button');
    await fileInputOf(page, '#uploader').setInputFiles(root);
    await waitUntilComplete(page);
    expect(targets(proxy.requests.slice(before).filter(put))).toEqual(['/main/demo/admin/again/7.txt']);
    expect(await product.listFiles('demo/admin/again/7.txt')).toMatchObject([{ sha256: changed.sha256 }]);
    await expect.poll(() => page.locator('#bytes-stored').textContent(), SOON).toBe('38 kB');
    expect(consoleErrors).toEqual([]);
  });

  it('lists failed files with advice, and retries them', async () => {
    const { page } = watched;
    const root = join(folder, 'fail');
    for (let at = 0; at < 12; at++) await createFile(join(root, 'sub'), `${at}.txt`, 500);
    await open(page);
    const refused = proxy.on({ method: 'PUT', path: /\/[34]\.txt/, fault: { respond: { status: 403 } } });
    await fileInputOf(page, '#uploader').setInputFiles(root);
    await expect.poll(() => countUploaded(page), SOON).toBe(10);
    const rows = page.locator('#failures-list > li');
    await expect
      .poll(() => rows.allTextContents(), SOON)
      .toEqual([expect.stringMatching(/^2 files: .*AccessDenied.*policy.*fail\/sub\/[34]\.txt/)]);
    refused.remove();
    await page.click('#failures-retry');
    await waitUntilComplete(page);
    await expect.poll(() => page.locator('#failures').isHidden(), SOON).toBe(true);
    expect(await product.listFiles('demo/admin/fail/')).toHaveLength(12);
  });

  it('reports a name that is too long for a key, and stays within the window', async () => {
    const { page } = watched;
    const root = join(folder, 'long');
    await createFile(root, 'short.txt', 10);
    await createFile(join(root, ...Array.from({ length: 5 }, () => 'd'.repeat(220))), 'long.txt', 10);
    await open(page);
    await fileInputOf(page, '#uploader').setInputFiles(root);
    const row = page.locator('#failures-list > li');
    await expect.poll(() => row.count(), SOON).toBe(1);
    expect(await row.textContent()).toMatch(/NameUnsafe.*Rename the file/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await expect.poll(() => product.listFiles('demo/admin/long/'), SOON).toHaveLength(1);
  });

  it('frees the stored parts of a file that is removed from the list', async () => {
    const { page } = watched;
    const bytes = async () => {
      const reply = await fetch(`${product.service}/v1/stats`, { headers: { authorization: `Bearer ${product.apiKey}` } });
      return ((await reply.json()) as { response: { bytes: number } }).response.bytes;
    };
    const file = await createFile(folder, 'off.bin', 3 * PART);
    await open(page);
    const before = await bytes();
    proxy.on({ method: 'PUT', path: /partNumber=3&/, fault: { stallRequestAt: 1000 } });
    await page.check('#pick-mode [value=files]');
    await fileInputOf(page, '#uploader').setInputFiles(file.path);
    await expect.poll(async () => (await readPersisted(page)).records.flat().length, SOON).toBe(3);
    await page.click('#uploader [part=remove-button]');
    await expect.poll(() => proxy.requests.find((one) => one.method === 'DELETE')?.status, SOON).toBe(204);
    await expect.poll(async () => (await readPersisted(page)).records.flat(), SOON).toEqual([]);
    expect(await bytes()).toBe(before);
  });

  /** Uploads a small file, and all but the last part of a large one. */
  async function uploadAllButLastPart(page: Page, name: string) {
    const root = join(folder, name);
    await createFile(root, 'small.txt', 100);
    await createFile(root, 'large.bin', 3 * PART);
    await open(page);
    const stall = proxy.on({ method: 'PUT', path: /partNumber=3&/, fault: { stallRequestAt: 1000 } });
    await fileInputOf(page, '#uploader').setInputFiles(root);
    await expect.poll(async () => (await readPersisted(page)).records.flat().length, SOON).toBe(4);
    return stall;
  }

  it('counts bytes that were sent before a pause as sent, not as already stored', async () => {
    const { page } = watched;
    const stall = await uploadAllButLastPart(page, 'paused');
    const steer = page.locator('#uploader .summary button').first();
    const sent = async () => parseFloat((await page.locator('#bytes-sent').textContent())!);
    // Bytes of a running part count as well.
    await expect.poll(sent, SOON).toBeGreaterThan((2 * PART) / 1e6 + 0.1);
    const before = await sent();
    await steer.click();
    await page.waitForSelector('#uploader:state(paused)');
    await waitForNextCount(page);
    expect(await sent(), 'the count never decreases').toBeGreaterThanOrEqual(before);
    stall.remove();
    await steer.click();
    await waitUntilComplete(page);
    await expect.poll(sent, SOON).toBe(25.2);
    expect(await page.locator('#bytes-stored').textContent()).toBe('0 bytes');
  });

  it('keeps counting after a file was removed from the list during its upload', async () => {
    const { page } = watched;
    const sent = async () => parseFloat((await page.locator('#bytes-sent').textContent())!);
    proxy.on({ method: 'PUT', path: /gone\.bin/, fault: { stallRequestAt: 4 * MiB } });
    await open(page);
    await page.check('#pick-mode [value=files]');
    await fileInputOf(page, '#uploader').setInputFiles((await createFile(folder, 'gone.bin', 7 * MiB)).path);
    await expect.poll(sent, SOON).toBeGreaterThan(4);
    await page.click('#uploader [part=remove-button]');
    await page.waitForSelector('#uploader:state(empty)');
    await waitForNextCount(page);
    const before = await sent();
    await fileInputOf(page, '#uploader').setInputFiles((await createFile(folder, 'next.bin', 2e6)).path);
    await waitUntilComplete(page);
    await expect.poll(sent, SOON).toBeCloseTo(before + 2, 0);
  });

  it('does not offer to continue a cancelled transfer', async () => {
    const { page } = watched;
    await uploadAllButLastPart(page, 'cancelled');
    await page.locator('#uploader .summary button').nth(1).click();
    await expect.poll(async () => (await readPersisted(page)).records.flat(), SOON).toEqual([]);
    await expect.poll(() => page.locator('#unfinished').isHidden(), SOON).toBe(true);
  });

  it('uses the last choice of a location, even if an earlier one responds later', async () => {
    const { page } = watched;
    const late: (() => void)[] = [];
    let dropped = 0;
    page.on('requestfailed', () => dropped++);
    await page.route('**/admin/keys', async (route) => {
      await new Promise<void>((resolve) => late.push(resolve));
      await route.continue().catch(() => {});
    });
    await page.goto(`${product.demo}/admin`);
    await expect.poll(() => late.length, SOON).toBe(1);
    await page.check('#location [value=other]');
    late[0]!();
    await page.check('#location [value=local]');
    await expect.poll(() => late.length, SOON).toBe(2);
    await page.check('#location [value=other]');
    late[1]!();
    await expect.poll(() => dropped, SOON).toBe(2);
    await page.check('#location [name=if-there][value=replace]');
    expect(await page.locator('#connection-state').textContent()).toBe('Not connected.');
    expect(await page.$eval('#uploader', (el) => (el as HTMLElementTagNameMap['svc-uploader']).disabled)).toBe(true);
  });

  it('connects to another store with entered keys, and empties their fields', async () => {
    const { page } = watched;
    const pair = await createKeyPair(product);
    await open(page);
    await page.check('#location [value=other]');
    const connect = async (secret: string) => {
      await page.fill('#location [name=key-id]', pair.access_key_id);
      await page.fill('#location [name=secret]', secret);
      await page.click('#connect');
    };
    for (const [name, value] of Object.entries({ endpoint: proxy.url, bucket: 'main', prefix: '/elsewhere/' }))
      await page.fill(`#location [name=${name}]`, value);
    await connect('guessed');
    await page.waitForSelector('#connection-state[data-tone=bad]');
    expect(await page.locator('#connection-state').textContent()).toBe(
      'The secret key does not belong to this access key id. Enter both again.',
    );
    expect(await page.inputValue('#location [name=secret]'), 'refused keys leave their fields, too').toBe('');
    await connect(pair.secret_access_key);
    await page.waitForSelector('#connection-state[data-tone=good]');
    const file = await createFile(folder, 'one.bin', 20 * MiB);
    await page.check('#pick-mode [value=files]');
    await fileInputOf(page, '#uploader').setInputFiles(file.path);
    await waitUntilComplete(page);
    expect(await product.listFiles('elsewhere/')).toMatchObject([{ path: 'elsewhere/one.bin', sha256: file.sha256 }]);
    expect((await readPersisted(page)).text).not.toContain(pair.secret_access_key);
  });
});
