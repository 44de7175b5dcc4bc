import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inputOf, launch, watchedPage } from './browser.js';
import type { WatchedPage } from './browser.js';
import { sample } from './files.js';
import { startProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
let browser: Browser;
let folder: string;
let context: BrowserContext;
let watched: WatchedPage;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([startProduct(), launch(), mkdtemp(join(tmpdir(), 'svc-play-'))]);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  watched = await watchedPage(context);
  await watched.page.goto(`${product.demo}/playground`);
});
afterEach(() => context.close());

describe('the playground', () => {
  it('sets attributes, writes the code for them and keeps both in its address', async () => {
    const { page, complaints } = watched;
    await page.fill('[name="max-size"]', '3MB');
    await page.fill('[name="label"]', 'Belege');
    await page.selectOption('[name="locale"]', 'de');
    await page.check('[name="appearance"][value="inline"]');
    await page.check('[name="--accent"][value="#3157d5"]');
    await page.check('[name="flavour"][value="react"]');
    const look = () =>
      page.$eval('#uploader', (el) => [
        el.getAttribute('max-size'),
        el.getAttribute('appearance'),
        (el as HTMLElement).style.getPropertyValue('--svc-uploader-accent'),
      ]);
    expect(await look()).toEqual(['3MB', 'inline', '#3157d5']);
    const code = await page.locator('#code').textContent();
    for (const part of ['maxSize="3MB"', 'label="Belege"', 'locale="de"', '--svc-uploader-accent: #3157d5'])
      expect(code).toContain(part);
    await page.reload();
    expect(await look()).toEqual(['3MB', 'inline', '#3157d5']);
    await page.click('#knobs [type=reset]');
    await expect.poll(look).toEqual([null, null, '']);
    expect(await page.$eval('#uploader', (el) => (el as HTMLElement & { appearance: string }).appearance)).toBe('dropzone');
    expect(complaints).toEqual([]);
  });

  it.each(['slow', 'flaky', 'busy', 'expired'])('shows uploads recover by themselves from a line that is %s', async (mode) => {
    const { page } = watched;
    await page.check(`#modes [value=${mode}]`);
    const files = await Promise.all([300_001, 300_002, 300_003].map((size) => sample(folder, `${mode}-${size}.bin`, size)));
    await page.evaluate(() => {
      const done: string[] = [];
      Object.assign(globalThis, { done });
      document.addEventListener('svc-upload-success', (event) =>
        done.push((event as CustomEvent<{ record: { sha256: string } }>).detail.record.sha256),
      );
    });
    await inputOf(page, '#line-uploader').setInputFiles(files.map((file) => file.path));
    const done = () => page.evaluate(() => (globalThis as unknown as { done: string[] }).done.toSorted());
    await expect.poll(done, { timeout: 60_000 }).toEqual(files.map((file) => file.sha256).toSorted());
    await page.check('#modes [value=clear]');
    await page.locator('#monitor li code').first().waitFor();
  });

  it('waits while the line is offline and goes on when it is back', async () => {
    const { page } = watched;
    await page.check('#modes [value=offline]');
    const file = await sample(folder, 'offline.bin', 400_000);
    await inputOf(page, '#line-uploader').setInputFiles(file.path);
    await expect.poll(() => watched.complaints.length).toBeGreaterThan(0);
    expect(await product.list('demo/playground/offline')).toEqual([]);
    await page.check('#modes [value=clear]');
    await expect
      .poll(() => product.list('demo/playground/offline'), { timeout: 30_000 })
      .toMatchObject([{ sha256: file.sha256 }]);
  });

  it('shows an avatar from where it is stored', async () => {
    const { page } = watched;
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const path = join(folder, 'me.png');
    await writeFile(path, Buffer.from(png, 'base64'));
    await inputOf(page, '#avatar').setInputFiles(path);
    const image = page.locator('#avatar-image');
    await image.waitFor({ state: 'visible' });
    await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(1);
    expect(await image.getAttribute('src')).toContain(product.service);
  });
});
