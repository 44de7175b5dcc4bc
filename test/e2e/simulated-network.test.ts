// Starts early: waits for uploads over a slow network.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeContexts, fileInputOf, useChromium } from './chromium-page.js';
import { createFile } from './sample-files.js';
import type { SampleFile } from './sample-files.js';
import { startProduct } from './product.js';
import type { OwnProduct } from './product.js';

let product: OwnProduct;
let browser: Browser;
let folder: string;
let context: BrowserContext;
let page: Page;
/** Paths of files from earlier tests. */
let before: Set<string>;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([startProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-network-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  before = new Set((await product.listFiles('demo/playground/')).map(({ path }) => path));
  await page.goto(`${product.demo}/playground`);
});
afterEach(async () => {
  await setMode('clear');
  await context.close();
});

const setMode = (mode: string) => page.check(`#modes [value=${mode}]`);
const requestList = () => page.locator('#requests').innerText();
const shown = (words: string | RegExp) => expect.poll(requestList, { timeout: 60_000 }).toMatch(words);
const samples = (mode: string, count: number): Promise<SampleFile[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => createFile(folder, `${mode}-${index}.bin`, 300_000 + index)));
const choose = (files: SampleFile[]) => fileInputOf(page, '#network-uploader').setInputFiles(files.map(({ path }) => path));
const stored = async (prefix = '') =>
  (await product.listFiles(`demo/playground/${prefix}`)).filter(({ path }) => !before.has(path));
const arrived = (files: SampleFile[], mode: string) =>
  expect
    .poll(async () => (await stored(`${mode}-`)).map(({ sha256 }) => sha256).toSorted(), { timeout: 60_000 })
    .toEqual(files.map(({ sha256 }) => sha256).toSorted());

describe('simulated network of the playground', () => {
  it.each([
    ['slow', /201 · Stored/],
    ['flaky', /201 · Stored/],
    ['busy', /429 · Try again in 2 seconds/],
    ['expired', /401 · The token has expired/],
  ])('lets all uploads recover and describes each request in mode %s', async (mode, words) => {
    await setMode(mode);
    const files = await samples(mode, 8);
    await choose(files);
    await arrived(files, mode);
    await shown(words);
    if (mode === 'expired') for (const { name } of files) await shown(new RegExp(`${name}, attempt 2\\s+201 · Stored`));
    await expect
      .poll(() => page.locator('#checksum-result').textContent())
      .toBe('All 8 files arrived. Each SHA-256 equals that of your file.');
  });

  it('limits the rate of all requests together', async () => {
    await setMode('slow');
    const files = await samples('together', 8);
    await choose(files);
    await arrived(files, 'together');
    // 2.4 MB at 1 MB a second: under a second, were it for each of six requests.
    const { start, end } = await page.evaluate(() => {
      const times = performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('/v1/files')) as PerformanceResourceTiming[];
      return {
        start: Math.min(...times.map(({ startTime }) => startTime)),
        end: Math.max(...times.map((one) => one.responseEnd)),
      };
    });
    expect(end - start).toBeGreaterThan(1500);
  });

  it('lists refused connections, and uploads continue after it comes back', async () => {
    await setMode('offline');
    await shown('The network is offline');
    const files = await samples('offline', 2);
    await choose(files);
    await shown(/connections? refused/i);
    expect(await stored('offline-')).toEqual([]);
    await setMode('clear');
    await shown('The network works');
    await arrived(files, 'offline');
    await shown(/offline-\d\.bin\s+201 · Stored/);
  });

  it('shows only requests since the page was opened', async () => {
    const files = await samples('before', 1);
    await choose(files);
    await shown('before-0.bin');
    await page.reload();
    const others = await samples('after', 1);
    await choose(others);
    await shown('after-0.bin');
    expect(await requestList()).not.toContain('before-0.bin');
  });

  it('offers twelve sample files repeatedly', async () => {
    await setMode('flaky');
    for (const count of [3, 6]) {
      await page.click('#network-samples');
      const named = async () => (await stored()).filter(({ name }) => /^(fjord|tide|wind)/.test(name)).length;
      await expect.poll(named, { timeout: 60_000 }).toBe(count);
      await expect
        .poll(() => page.locator('#checksum-result').textContent(), { timeout: 60_000 })
        .toMatch(/^All 12 files arrived\. Each/);
    }
    const sizes = (await stored()).map(({ size }) => size);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([100_000, 8_000_000]);
  });
});
