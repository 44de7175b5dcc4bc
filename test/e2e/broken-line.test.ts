import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inputOf, launch } from './browser.js';
import { sample } from './files.js';
import type { SampleFile } from './files.js';
import { startProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
let browser: Browser;
let folder: string;
let context: BrowserContext;
let page: Page;
/** Paths of the tests before, and of the first try of this one. */
let before: Set<string>;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([startProduct(), launch(), mkdtemp(join(tmpdir(), 'svc-line-'))]);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  before = new Set((await product.list('demo/playground/')).map(({ path }) => path));
  await page.goto(`${product.demo}/playground`);
});
afterEach(async () => {
  await turn('clear');
  await context.close();
});

const turn = (mode: string) => page.check(`#modes [value=${mode}]`);
const monitor = () => page.locator('#requests').innerText();
const shown = (words: string | RegExp) => expect.poll(monitor, { timeout: 60_000 }).toMatch(words);
const samples = (mode: string, count: number): Promise<SampleFile[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => sample(folder, `${mode}-${index}.bin`, 300_000 + index)));
const choose = (files: SampleFile[]) => inputOf(page, '#network-uploader').setInputFiles(files.map(({ path }) => path));
const stored = async (prefix = '') => (await product.list(`demo/playground/${prefix}`)).filter(({ path }) => !before.has(path));
const arrived = (files: SampleFile[], mode: string) =>
  expect
    .poll(async () => (await stored(`${mode}-`)).map(({ sha256 }) => sha256).toSorted(), { timeout: 60_000 })
    .toEqual(files.map(({ sha256 }) => sha256).toSorted());

describe('the line of the playground', () => {
  it.each([
    ['slow', /201 · Stored/],
    ['flaky', /201 · Stored/],
    ['busy', /429 · Try again in 2 seconds/],
    ['expired', /401 · The token has expired/],
  ])('is recovered from by itself, and tells what was done to which file, when it is %s', async (mode, words) => {
    await turn(mode);
    const files = await samples(mode, 8);
    await choose(files);
    await arrived(files, mode);
    await shown(words);
    if (mode === 'expired') for (const { name } of files) await shown(new RegExp(`${name}, attempt 2\\s+201 · Stored`));
    await expect
      .poll(() => page.locator('#checksum-result').textContent())
      .toBe('All 8 files arrived. Each SHA-256 equals that of your file.');
  });

  it('is slow for all requests together, not for each', async () => {
    await turn('slow');
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

  it('tells of connections it refuses, and goes on by itself when it is back', async () => {
    await turn('offline');
    await shown('The network is offline');
    const files = await samples('offline', 2);
    await choose(files);
    await shown(/connections? refused/i);
    expect(await stored('offline-')).toEqual([]);
    await turn('clear');
    await shown('The network works');
    await arrived(files, 'offline');
    await shown(/offline-\d\.bin\s+201 · Stored/);
  });

  it('shows only what came since the page was opened', async () => {
    const files = await samples('before', 1);
    await choose(files);
    await shown('before-0.bin');
    await page.reload();
    const others = await samples('after', 1);
    await choose(others);
    await shown('after-0.bin');
    expect(await monitor()).not.toContain('before-0.bin');
  });

  it('has twelve files for who has none at hand, as often as they like', async () => {
    await turn('flaky');
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
