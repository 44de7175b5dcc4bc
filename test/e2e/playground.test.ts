import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeContexts, fileInputOf, useChromium, openWatchedPage } from './chromium-page.js';
import type { WatchedPage } from './chromium-page.js';
import { createFile } from './sample-files.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
let browser: Browser;
let folder: string;
let context: BrowserContext;
let watched: WatchedPage;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([useProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-play-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  context = await browser.newContext();
  watched = await openWatchedPage(context);
  await watched.page.goto(`${product.demo}/playground`);
});
afterEach(() => context.close());

describe('the playground', () => {
  it('sets attributes, writes the code for them and keeps both in its address', async () => {
    const { page, consoleErrors } = watched;
    await page.fill('[name="max-size"]', '3MB');
    await page.fill('[name="label"]', 'Belege');
    await page.selectOption('[name="locale"]', 'de');
    await page.check('[name="appearance"][value="inline"]');
    await page.check('[name="--accent"][value="#3157d5"]');
    await page.check('[name="framework"][value="react"]');
    const readElement = () =>
      page.$eval('#uploader', (el) => [
        el.getAttribute('max-size'),
        el.getAttribute('appearance'),
        getComputedStyle(el).getPropertyValue('--svc-uploader-accent'),
      ]);
    expect(await readElement()).toEqual(['3MB', 'inline', '#3157d5']);
    const code = await page.locator('#code').textContent();
    for (const part of ['maxSize="3MB"', 'label="Belege"', 'locale="de"']) expect(code).toContain(part);
    expect(await page.locator('#second-code-name').textContent()).toBe('attachments.css');
    expect(await page.locator('#second-code-text').textContent()).toContain('--svc-uploader-accent: #3157d5');
    await page.reload();
    expect(await readElement()).toEqual(['3MB', 'inline', '#3157d5']);
    await page.click('#settings [type=reset]');
    await expect.poll(readElement).toEqual([null, null, '']);
    expect(await page.$eval('#uploader', (el) => (el as HTMLElement & { appearance: string }).appearance)).toBe('dropzone');
    expect(consoleErrors).toEqual([]);
  });

  it('has a setting for every attribute', async () => {
    const { page } = watched;
    const missing = await page.evaluate(() => {
      const { observedAttributes } = customElements.get('svc-uploader') as unknown as { observedAttributes: string[] };
      const names = [...document.querySelectorAll<HTMLInputElement>('#settings [name]')].map(({ name }) => name);
      return observedAttributes.filter((name) => !names.includes(name));
    });
    expect(missing).toEqual([]);
  });

  it('shares changed settings except the token, and keeps cleared ones cleared', async () => {
    const { page } = watched;
    await page.fill('#setting-label', '');
    await page.fill('#setting-name', 'cv');
    await page.uncheck('[name="multiple"]');
    await page.fill('#setting-token', `svcup_${'a'.repeat(48)}`);
    expect(page.url()).not.toContain('svcup');
    expect(await page.locator('#code').textContent()).not.toContain('aaaa');
    await page.reload();
    const readElement = () =>
      page.$eval('#uploader', (el) => ['label', 'name', 'multiple', 'token'].map((name) => el.getAttribute(name)));
    expect(await readElement()).toEqual([null, 'cv', null, null]);
  });

  it('escapes text that a framework would interpret', async () => {
    const { page } = watched;
    await page.fill('#setting-label', '{x} `y` ${z} {{q}} "w" <b>');
    for (const flavour of ['svelte', 'angular', 'vue', 'react', 'html']) {
      await page.check(`[name="framework"][value="${flavour}"]`);
      const label = await page.locator('#code').evaluate((code) => /label=("[^"]*")/.exec(code.textContent)![1]!);
      expect(label).not.toMatch(/[{}`$]/);
      const read = (html: string) =>
        new DOMParser().parseFromString(html, 'text/html').body.firstElementChild!.getAttribute('label');
      expect(await page.evaluate(`(${read.toString()})(${JSON.stringify(`<p label=${label}>`)})`)).toBe(
        '{x} `y` ${z} {{q}} "w" <b>',
      );
    }
  });

  it('submits its form after the uploads, if submit-waits is set', async () => {
    const { page } = watched;
    await page.check('[name="submit-waits"]');
    await page.check('[name="required"]');
    await page.click('#preview .primary');
    expect(await page.locator('#sent').textContent()).toBe('');
    const file = await createFile(folder, 'sent.bin', 2_000_000);
    await fileInputOf(page, '#uploader').setInputFiles(file.path);
    await page.click('#preview .primary');
    await expect
      .poll(() => page.locator('#sent').textContent(), { timeout: 15_000 })
      .toMatch(/^Sent: files=demo\/playground\/sent/);
    await page.click('#preview [type=reset]');
    await expect.poll(() => page.locator('#value').textContent()).toBe('empty');
  });

  it('starts with the defaults of the element', async () => {
    const { page } = watched;
    const css = await page.evaluate(() => document.adoptedStyleSheets[0]!.cssRules.length);
    expect(css).toBe(0);
    const corners = () => page.$eval('#uploader', (el) => getComputedStyle(el.shadowRoot!.querySelector('.zone')!).borderRadius);
    expect(`${await page.inputValue('#setting-radius')}px`).toBe(await corners());
    await page.fill('#setting-radius', '12');
    await expect.poll(corners).toBe('12px');
  });

  it('shows an invalid value and the events of the element', async () => {
    const { page } = watched;
    await page.fill('[name="max-size"]', 'big');
    const validity = page.locator('#validity');
    await expect.poll(() => validity.textContent()).toContain('max-size');
    await page.fill('[name="max-size"]', '');
    await expect.poll(() => validity.textContent()).toBe('valid');
    await page.click('#preview-samples');
    const events = page.locator('#events li');
    await expect.poll(() => events.first().textContent(), { timeout: 15_000 }).toContain('svc-complete');
    const eventText = (await events.allTextContents()).join();
    for (const part of ['svc-file-add', 'svc-upload-start', 'svc-upload-success', 'fjord.jpg']) expect(eventText).toContain(part);
    expect(await page.locator('#value').textContent()).toMatch(/^(files=demo\/playground\/.*\s?){3}$/);
  });

  it('applies a theme and keeps it in the address', async () => {
    const { page } = watched;
    await page.check('[name="theme"][value="night"]');
    expect(page.url()).toContain('theme=night');
    await page.reload();
    expect(await page.$eval('#uploader', (el) => getComputedStyle(el).colorScheme)).toBe('dark');
    expect(await page.locator('#code').textContent()).toContain('svc-uploader::part(dropzone)');
    // The theme sets the defaults of the sliders.
    expect(await page.inputValue('#setting-radius')).toBe('10');
    await page.click('#settings [type=reset]');
    await expect.poll(() => page.inputValue('#setting-radius')).toBe('8');
    expect(await page.evaluate(() => document.adoptedStyleSheets[0]!.cssRules.length)).toBe(0);
  });

  it('selects the code without a clipboard, and links to the tutorial', async () => {
    const { page, consoleErrors } = watched;
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.click('[data-copy="code"]');
    const code = await page.locator('#code').textContent();
    expect(await page.evaluate(() => String(getSelection()))).toBe(code!.trimEnd());
    expect(consoleErrors).toEqual([]);
    await page.click('.needs a');
    expect(await page.locator('body').textContent()).toContain('Receive your first file');
  });

  it('shows one group of settings at a time on a phone', async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 390, height: 800 });
    await page.reload();
    expect(await page.locator('#settings details[open] summary').allTextContents()).toEqual(['Theme']);
    expect(await page.locator('#settings').evaluate((one) => one.getBoundingClientRect().height)).toBeLessThan(800);
  });

  it('keeps its fields whole on the narrowest phone', async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 280, height: 800 });
    const fields = await page.$$eval('.setting input[type=text], .setting input:not([type]), .setting select', (all) =>
      all.map((one) => one.getBoundingClientRect().width),
    );
    expect(Math.min(...fields)).toBeGreaterThan(120);
  });

  it('keeps a list of documents that follows the element', async () => {
    const { page } = watched;
    const files = await Promise.all(['one.txt', 'two.txt'].map((name, index) => createFile(folder, name, 1000 + index)));
    await fileInputOf(page, '#documents').setInputFiles(files.map(({ path }) => path));
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

  it('shows refused files with the reason in its list of documents', async () => {
    const { page } = watched;
    const files = await Promise.all(['good.txt', 'setup.exe'].map((name) => createFile(folder, name, 500)));
    await fileInputOf(page, '#documents').setInputFiles(files.map(({ path }) => path));
    const rows = page.locator('#documents-list li');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([expect.stringContaining('good.txt'), expect.stringMatching(/setup\.exe.*Not added\. This type of file/)]);
    await page.click('[aria-label="Remove setup.exe"]');
    await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('good.txt')]);
    expect(await page.$eval('#documents', (el) => (el as HTMLElement & { uploads: unknown[] }).uploads.length)).toBe(1);
  });

  it('shows an avatar from its stored address', async () => {
    const { page } = watched;
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const path = join(folder, 'me.png');
    await writeFile(path, Buffer.from(png, 'base64'));
    await fileInputOf(page, '#avatar').setInputFiles(path);
    const image = page.locator('#avatar-image');
    await image.waitFor({ state: 'visible' });
    await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(1);
    expect(await image.getAttribute('src')).toContain(product.service);
  });
});
