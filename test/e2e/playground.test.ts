import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inputOf, launch, objections, watchedPage } from './browser.js';
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

  it('has a knob for every attribute', async () => {
    const { page } = watched;
    const missing = await page.evaluate(() => {
      const { observedAttributes } = customElements.get('svc-uploader') as unknown as { observedAttributes: string[] };
      const knobs = [...document.querySelectorAll<HTMLInputElement>('#knobs [name]')].map(({ name }) => name);
      return observedAttributes.filter((name) => !knobs.includes(name));
    });
    expect(missing).toEqual([]);
  });

  it('shares what was turned, but nobody’s token, and clears what was cleared', async () => {
    const { page } = watched;
    await page.fill('#k-label', '');
    await page.fill('#k-name', 'cv');
    await page.uncheck('[name="multiple"]');
    await page.fill('#k-token', `svcup_${'a'.repeat(48)}`);
    expect(page.url()).not.toContain('svcup');
    expect(await page.locator('#code').textContent()).not.toContain('aaaa');
    await page.reload();
    const look = () =>
      page.$eval('#uploader', (el) => ['label', 'name', 'multiple', 'token'].map((name) => el.getAttribute(name)));
    expect(await look()).toEqual([null, 'cv', null, null]);
  });

  it('writes code that keeps what would mean something to a framework', async () => {
    const { page } = watched;
    await page.fill('#k-label', '{x} `y` ${z} {{q}} "w" <b>');
    for (const flavour of ['svelte', 'angular', 'vue', 'react', 'html']) {
      await page.check(`[name="flavour"][value="${flavour}"]`);
      const label = await page.locator('#code').evaluate((code) => /label=("[^"]*")/.exec(code.textContent)![1]!);
      expect(label).not.toMatch(/[{}`$]/);
      const read = (html: string) =>
        new DOMParser().parseFromString(html, 'text/html').body.firstElementChild!.getAttribute('label');
      expect(await page.evaluate(`(${read.toString()})(${JSON.stringify(`<p label=${label}>`)})`)).toBe(
        '{x} `y` ${z} {{q}} "w" <b>',
      );
    }
  });

  it('sends its form once the files are there, if it is told to wait', async () => {
    const { page } = watched;
    await page.check('[name="submit-waits"]');
    await page.check('[name="required"]');
    await page.click('#stage .primary');
    expect(await page.locator('#sent').textContent()).toBe('');
    const file = await sample(folder, 'sent.bin', 2_000_000);
    await inputOf(page, '#uploader').setInputFiles(file.path);
    await page.click('#stage .primary');
    await expect
      .poll(() => page.locator('#sent').textContent(), { timeout: 15_000 })
      .toMatch(/^Sent: files=demo\/playground\/sent/);
    await page.click('#stage [type=reset]');
    await expect.poll(() => page.locator('#value').textContent()).toBe('empty');
  });

  it.each(['light', 'dark'] as const)('has nothing for axe to object to, %s, and fits a phone', async (colorScheme) => {
    const { page } = watched;
    await page.emulateMedia({ colorScheme });
    expect(await objections(watched)).toEqual([]);
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });

  it('fits the narrowest phone like every other page, its fields whole', async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 280, height: 800 });
    const fields = await page.$$eval('.knob input[type=text], .knob input:not([type]), .knob select', (all) =>
      all.map((one) => one.getBoundingClientRect().width),
    );
    expect(Math.min(...fields)).toBeGreaterThan(120);
    for (const path of ['playground', '', 'form', 'admin']) {
      await page.goto(`${product.demo}/${path}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(280);
    }
  });

  it('keeps a list of documents that follows the element', async () => {
    const { page } = watched;
    const files = await Promise.all(['one.txt', 'two.txt'].map((name, index) => sample(folder, name, 1000 + index)));
    await inputOf(page, '#documents').setInputFiles(files.map(({ path }) => path));
    const rows = page.locator('#documents-list li');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([expect.stringContaining('one.txt'), expect.stringContaining('two.txt')]);
    await page.click('[aria-label="Remove one.txt"]');
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('two.txt')]);
    expect(await page.$eval('#documents', (el) => (el as HTMLElement & { values: string[] }).values.length)).toBe(1);
    await page.click('[aria-label="Remove two.txt"]');
    await expect.poll(() => rows.allTextContents()).toEqual(['No documents yet.']);
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
