// Long because all failures share one page, product and proxy.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  waitUntilComplete,
  connectTo,
  countUploaded,
  routeEndpointThrough,
  createKeyPair,
  openAdmin,
  revokeKeyPair,
  SOON,
  readConnectionState,
  readErrorText,
  waitForNextCount,
} from './admin-page.js';
import { closeContexts, dropFiles, fileInputOf, useChromium, findAxeViolations, openWatchedPage } from './chromium-page.js';
import type { KeyPair } from './admin-page.js';
import type { WatchedPage } from './chromium-page.js';
import { createFile } from './sample-files.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

const MiB = 1024 ** 2;
const PART = 8 * MiB;

let product: Product;
let browser: Browser;
let folder: string;
let proxy: FaultProxy;
let context: BrowserContext;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([useProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-admin-failures-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  proxy = await startFaultProxy(`http://127.0.0.1:${product.ports[1]}`);
  context = await browser.newContext();
  watched = await openWatchedPage(context);
  ({ page } = watched);
  page.on('dialog', (dialog) => void dialog.accept());
  await routeEndpointThrough(page, proxy.url);
  await openAdmin(page, product);
});
afterEach(async () => {
  await context.close();
  await proxy.close();
});

async function createFolder(name: string, count: number, size = 1000): Promise<string> {
  const root = join(folder, name);
  for (let at = 0; at < count; at++) await createFile(join(root, 'sub'), `${at}.txt`, size);
  return root;
}
const choose = (root: string) => fileInputOf(page, '#uploader').setInputFiles(root);
const state = () => readConnectionState(page);
const errorText = () => readErrorText(page);
const readTransferLog = async () => {
  const [sent, there] = await page.locator('#transfer-log dd').allTextContents();
  return { sent, there };
};
const causes = () => page.locator('#failures-list > li').allTextContents();
const focused = () => page.evaluate(() => document.activeElement?.id);

describe('keys that are refused during a transfer', () => {
  it('pause it until other keys are entered', async () => {
    const root = await createFolder('refused', 12);
    await createFile(root, 'film.bin', 4 * PART);
    const first = await createKeyPair(product);
    await page.check('#location [value=other]');
    const place = { endpoint: proxy.url, bucket: 'main', prefix: 'refused' };
    await connectTo(page, { ...place, 'key-id': first.access_key_id, secret: first.secret_access_key });
    await expect.poll(state, SOON).toBe('Connected to main/refused/');
    const stall = proxy.on({ method: 'PUT', path: /partNumber=[34]&/, fault: { stallRequestAt: 1000 } });
    await choose(root);
    await expect.poll(() => countUploaded(page), SOON).toBe(12);
    const parts = () => proxy.requests.filter(({ method, path }) => method === 'PUT' && path.includes('partNumber='));
    await expect.poll(() => parts().filter(({ outcome }) => outcome === 'completed').length, SOON).toBe(2);
    await revokeKeyPair(product, first.access_key_id);
    stall.remove();
    // Stalled parts start again and are refused.
    const steer = page.locator('#uploader .summary button').first();
    await steer.click();
    await page.waitForSelector('#uploader:state(paused)');
    const requestCount = proxy.requests.length;
    await steer.click();
    await expect
      .poll(errorText, SOON)
      .toMatch(/^Paused\. .*does not know this key.* The transfer continues after you connect again\.$/);
    await page.waitForSelector('#uploader:state(paused)');
    expect(await page.locator('#failures').isHidden(), 'no file failed').toBe(true);
    expect(proxy.requests.length - requestCount, 'the page does not send all requests').toBeLessThan(20);
    expect(await page.locator('#endpoint').isDisabled(), 'the location is locked').toBe(true);
    expect(await page.getAttribute('#secret', 'required'), 'the refused keys are forgotten').toBe('');
    await page.click('#error-action');
    expect(await focused(), 'the field for the new key').toBe('key-id');

    await connectTo(page, { 'key-id': 'AKNOBODY', secret: 'guessed' });
    await expect.poll(state, SOON).toContain('does not know this key');
    const second = await createKeyPair(product);
    const before = parts().length;
    await connectTo(page, { 'key-id': second.access_key_id, secret: second.secret_access_key });
    await waitUntilComplete(page);
    expect(await state()).toBe('Connected to main/refused/');
    const numbers = parts()
      .slice(before)
      .map(({ path }) => /partNumber=(\d)/.exec(path)![1]);
    expect(numbers.toSorted(), 'only missing parts are sent').toEqual(['3', '4']);
    expect(await product.listFiles('refused/')).toHaveLength(13);
    await page.click('#uploader .summary button');
    await expect.poll(() => page.locator('#endpoint').isEnabled(), SOON).toBe(true);
  });

  it('of the backend pause it until the backend gives new ones', async () => {
    const root = await createFolder('backend', 3);
    const keysResponse = page.waitForResponse((response) => response.url().endsWith('/admin/keys'));
    await page.reload();
    const { access_key_id } = (await (await keysResponse).json()) as KeyPair;
    await context.route('**/admin/keys', (route) => route.fulfill({ status: 500, body: 'broken' }));
    await revokeKeyPair(product, access_key_id);
    await choose(root);
    await expect.poll(errorText, SOON).toMatch(/^Paused\. The backend responded with 500\./);
    expect(await state(), 'only one place shows the reason').toBe('');
    // The retry fails, and its error appears beside the button.
    await page.click('#error-action');
    await expect.poll(errorText, SOON).toMatch(/^The backend responded with 500\./);
    await context.unroute('**/admin/keys');
    await page.click('#error-action');
    await waitUntilComplete(page);
    expect(await errorText()).toBe('');
    expect(await state()).toMatch(/^Connected to main\/demo\/admin\//);
    expect(await page.locator('#connect').isHidden()).toBe(true);
  });
});

describe('a store that is full', () => {
  const refuseAsFull = (path: RegExp) => {
    const body = '<Error><Code>QuotaExceeded</Code><Message>The quota is used up.</Message></Error>';
    return proxy.on({ method: 'PUT', path, fault: { respond: { status: 403, body } } });
  };
  const continueButton = () => page.locator('#error-action');

  it('pauses the transfer, names the file, and continues when there is space', async () => {
    const root = await createFolder('full', 40);
    await createFile(root, 'film.bin', 3 * PART);
    const refused = refuseAsFull(/film\.bin/);
    await choose(root);
    await expect
      .poll(errorText, SOON)
      .toMatch(/^Paused\. The store has no space for full\/film\.bin \(25\.2 MB\): .* Make space there.* Then continue\.$/);
    await page.waitForSelector('#uploader:state(paused)');
    expect(await page.locator('#failures').isHidden(), 'no file failed').toBe(true);
    expect(await continueButton().textContent()).toBe('Continue');
    expect(refused.hits, 'the page does not retry repeatedly').toBeLessThan(12);
    // The store is still full.
    const before = refused.hits;
    await page.locator('#uploader .summary button').first().click();
    await expect.poll(() => refused.hits, SOON).toBeGreaterThan(before);
    await page.waitForSelector('#uploader:state(paused)');
    await expect.poll(errorText, SOON).toMatch(/^Paused\. The store has no space for/);
    refused.remove();
    await continueButton().press('Enter');
    await waitUntilComplete(page);
    expect(await errorText()).toBe('');
    expect(await continueButton().isHidden()).toBe(true);
    expect(await focused(), 'the focus moves before the button disappears').toBe('uploader');
    expect(await product.listFiles('demo/admin/full/')).toHaveLength(41);
  });

  it.each([
    ['light', 390, 844],
    ['dark', 1280, 800],
  ] as const)('shows the reason and the button beside the list, %s, %i × %i', async (colorScheme, width, height) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    proxy.on({ method: 'PUT', path: /fat\.bin/, fault: { delay: 4000, respond: { status: 507 } } });
    const root = await createFolder(`sight-${width}`, 20);
    await createFile(root, 'fat.bin', 1000);
    await choose(root);
    await expect.poll(() => countUploaded(page), SOON).toBe(20);
    const steer = page.locator('#uploader .summary button').first();
    await steer.scrollIntoViewIfNeeded();
    const at = await steer.boundingBox();
    await page.waitForSelector('#uploader:state(paused)');
    expect(await steer.boundingBox(), 'the button does not move').toMatchObject({ y: at!.y });
    for (const one of ['#error-text', '#error-action']) {
      const { y, height: high } = (await page.locator(one).boundingBox())!;
      expect([y >= 0, y + high <= height], `${one} is visible`).toEqual([true, true]);
    }
    expect(await state(), 'the reason appears once').toMatch(/^Connected to main\/demo\/admin\//);
    await page.locator('#uploader .summary button').last().focus();
    for (let row = 0; row < 5; row++) {
      await page.keyboard.press('Tab');
      const bottom = await page.$eval('#uploader', (el) => el.shadowRoot!.activeElement!.getBoundingClientRect().bottom);
      expect(bottom, 'the panel covers no focused element').toBeLessThanOrEqual(
        (await page.locator('.error-panel').boundingBox())!.y,
      );
    }
    expect(await findAxeViolations(watched)).toEqual([]);
  });

  it('continues when the file without space is removed from the list', async () => {
    const refused = refuseAsFull(/fat\.bin/);
    await choose(await createFolder('taken', 3));
    await waitUntilComplete(page);
    const root = join(folder, 'fat');
    await createFile(root, 'fat.bin', 1000);
    await choose(root);
    // The message does not suggest to remove this file, because it is small.
    const message =
      /^Paused\. The store has no space for fat\/fat\.bin \(1 kB\): .* or remove files from the list\. Then continue\.$/;
    await expect.poll(errorText, SOON).toMatch(message);
    refused.remove();
    await page.locator('#uploader .summary button').nth(1).click();
    await expect.poll(errorText, SOON).toBe('');
    await choose(await createFolder('next', 3));
    await expect.poll(() => countUploaded(page), SOON).toBe(6);
  });
});

describe('a store', () => {
  it('that does not respond is reported in the panel until it responds', async () => {
    const root = await createFolder('away', 4);
    proxy.offline();
    await choose(root);
    await expect.poll(errorText, SOON).toBe('The store cannot be reached. The transfer continues by itself.');
    proxy.online();
    await waitUntilComplete(page);
    expect(await errorText()).toBe('');
    expect(await readTransferLog(), 'cut requests count once').toEqual({ sent: expect.anything(), there: '0 bytes' });
    await expect.poll(async () => (await readTransferLog()).sent, SOON).toBe('4 kB');
  });

  it('that asks for a pause is reported', async () => {
    const respond = { status: 503, headers: { 'retry-after': '5' } };
    proxy.on({ method: 'PUT', fault: { respond }, times: 2 });
    await choose(await createFolder('pause', 2));
    await expect.poll(errorText, SOON).toBe('The store is overloaded. The transfer continues by itself.');
    const statuses = () => page.locator('#uploader [part~=status]').allTextContents();
    await expect.poll(statuses, { ...SOON, message: 'failed attempts do not show 100 %' }).toEqual(['Waiting', 'Waiting']);
    await waitUntilComplete(page);
    await expect.poll(errorText, SOON).toBe('');
  });

  it('that cannot be connected to gets a message for each cause, and keeps the entered keys', async () => {
    const { access_key_id, secret_access_key } = await createKeyPair(product);
    await page.check('#location [value=other]');
    expect(await fileInputOf(page, '#uploader').evaluate((el) => el.getRootNode() instanceof ShadowRoot)).toBe(true);
    expect(await page.locator('#uploader').textContent()).toBe('');
    expect(await page.$eval('#uploader', (el) => (el as HTMLElementTagNameMap['svc-uploader']).hint)).toContain(
      'Connect to a store',
    );
    await connectTo(page, { endpoint: 'store.example:9000', bucket: 'main', 'key-id': access_key_id, secret: secret_access_key });
    await expect.poll(state, SOON).toContain('must begin with https://');
    await connectTo(page, { endpoint: 'http://store.example' });
    await expect.poll(state, SOON).toContain('must begin with https://');
    await connectTo(page, { endpoint: `${proxy.url}/main` });
    await expect.poll(state, SOON).toContain('must not contain the name of the bucket');
    // Browsers refuse this port.
    await connectTo(page, { endpoint: 'http://localhost:9' });
    await expect
      .poll(state, SOON)
      .toBe('http://localhost:9 does not respond. Is it http or https? Check the address and the network.');
    // The server does not speak TLS.
    await connectTo(page, { endpoint: proxy.url.replace('http:', 'https:') });
    await expect.poll(state, SOON).toMatch(/^https:\/\/127\.0\.0\.1:\d+ does not respond\. Is it http or https\?/);
    await connectTo(page, { endpoint: proxy.url, bucket: 'elsewhere' });
    await expect.poll(state, SOON).toMatch(/responds, but does not admit this page\. Check the name of the bucket.*CORS/);
    await connectTo(page, { bucket: 'main' });
    await expect.poll(state, SOON).toBe('Connected to main/');
  });

  it('can be connected by a button after the backend failed', async () => {
    await context.route('**/admin/keys', (route) => route.abort());
    await page.reload();
    await expect.poll(state, SOON).toMatch(/^The backend cannot be reached\./);
    await page.check('#location [value=other]');
    await page.fill('#endpoint', 'unfinished');
    await page.check('#location [value=local]');
    await expect.poll(state, SOON).toMatch(/^The backend cannot be reached\./);
    await context.unroute('**/admin/keys');
    await page.click('#connect');
    await expect.poll(state, SOON).toMatch(/^Connected to main\/demo\/admin\//);
    expect(await page.locator('#connect').isHidden()).toBe(true);
  });
});

describe('failed files', () => {
  it('are listed by cause, with a retry button if a retry may help', async () => {
    const root = await createFolder('causes', 40);
    const refused = proxy.on({ method: 'PUT', fault: { respond: { status: 403 } } });
    await choose(root);
    await expect
      .poll(causes, SOON)
      .toEqual([expect.stringMatching(/^40 files: The store refused the file and gave no reason\. AccessDenied.*and 30 more$/)]);
    refused.remove();
    await page.focus('#failures-retry');
    await page.keyboard.press('Enter');
    await waitUntilComplete(page);
    await expect.poll(() => page.locator('#failures').isHidden(), SOON).toBe(true);
    expect(await focused(), 'the focus moves before the button disappears').toBe('uploader');
    // One file is rewritten after it was chosen.
    await page.click('#uploader .summary button');
    const element = () => page.locator('#uploader');
    await element().evaluate((el) => ((el as HTMLElementTagNameMap['svc-uploader']).manual = true));
    await choose(await createFolder('later', 3));
    await writeFile(join(folder, 'later', 'sub', '1.txt'), 'something else');
    await element().evaluate((el) => (el as HTMLElementTagNameMap['svc-uploader']).upload());
    await expect
      .poll(causes, SOON)
      .toEqual([
        expect.stringMatching(
          /^1 file: The file changed since it was chosen\. FileChanged.*Choose the file again\.later\/sub\/1\.txt$/,
        ),
      ]);
    expect(await page.locator('#failures-retry').isHidden()).toBe(true);
    await choose(join(folder, 'later'));
    await element().evaluate((el) => (el as HTMLElementTagNameMap['svc-uploader']).upload());
    await waitUntilComplete(page);
    await expect.poll(() => page.locator('#failures').isHidden(), SOON).toBe(true);
  });

  it('continue from the list, not by choosing them again', async () => {
    const root = await createFolder('half', 2);
    await createFile(root, 'film.bin', 3 * PART);
    proxy.on({ method: 'PUT', path: /partNumber=3&/, fault: { respond: { status: 403 } } });
    await choose(root);
    await expect.poll(async () => (await causes()).length, SOON).toBe(1);
    await waitForNextCount(page);
    expect(await page.locator('#unfinished').isHidden()).toBe(true);
  });

  it('do not count as already stored', async () => {
    const root = await createFolder('equal', 3, 2000);
    await choose(root);
    await waitUntilComplete(page);
    await page.click('#uploader .summary button');
    await createFile(join(root, 'sub'), '1.txt', 2000);
    await page.check('#location [name=if-there][value=keep]');
    await choose(root);
    await expect
      .poll(causes, SOON)
      .toEqual([expect.stringMatching(/^1 file: Exists already\. PreconditionFailed.*equal\/sub\/1\.txt$/)]);
    await expect.poll(readTransferLog, SOON).toEqual({ sent: '6 kB', there: '4 kB' });
  });
});

describe('an empty folder', () => {
  it('that is dropped becomes an object, like a directory of the disk', async () => {
    const root = await createFolder('hollow', 2);
    await mkdir(join(root, 'empty', 'within'), { recursive: true });
    const drop = () => dropFiles(page, page.locator('#uploader'), [root]);
    const keys = async () =>
      (await product.listFiles('demo/admin/hollow/')).map(({ path }) => path.slice('demo/admin/hollow/'.length)).toSorted();
    await drop();
    await waitUntilComplete(page);
    expect(await countUploaded(page)).toBe(3);
    await expect.poll(keys, SOON).toEqual(['empty/within/', 'sub/0.txt', 'sub/1.txt']);
    await page.click('#uploader .summary button');
    await drop();
    await waitUntilComplete(page);
    expect(await countUploaded(page), 'also the second time').toBe(3);
  });
});

describe.each([
  ['light', 390],
  ['dark', 1280],
] as const)('the page with a failure, %s, %i px wide', (colorScheme, width) => {
  it('has no violation of axe', async () => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    proxy.on({ method: 'PUT', path: /\/0\.txt/, fault: { respond: { status: 403 } } });
    await choose(await createFolder('axe', 3));
    await expect.poll(async () => (await causes()).length, SOON).toBe(1);
    expect(await findAxeViolations(watched)).toEqual([]);
    // The first press removes the failed file, the second one the others.
    await page.locator('#uploader .summary button').last().click();
    await expect.poll(async () => (await causes()).length, SOON).toBe(0);
    await page.locator('#uploader .summary button').last().click();
    await expect.poll(() => page.locator('#location [value=other]').isEnabled(), SOON).toBe(true);
    await page.check('#location [value=other]');
    expect(await findAxeViolations(watched)).toEqual([]);
  });
});
