import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitUntilComplete, connectTo, createKeyPair, openAdmin, SOON, readConnectionState } from './admin-page.js';
import type { KeyPair } from './admin-page.js';
import { closeContexts, fileInputOf, useChromium } from './chromium-page.js';
import { createFile } from './sample-files.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
let browser: Browser;
let folder: string;
let page: Page;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([useProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-place-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  page = await browser.newPage();
  await openAdmin(page, product);
  await page.check('#location [value=other]');
  const { access_key_id, secret_access_key } = await createKeyPair(product);
  const place = { endpoint: `http://127.0.0.1:${product.ports[1]}`, bucket: 'main', prefix: 'first' };
  await connectTo(page, { ...place, 'key-id': access_key_id, secret: secret_access_key });
  await expect.poll(state, SOON).toBe('Connected to main/first/');
});
afterEach(() => page.close());

const state = () => readConnectionState(page);
const element = () =>
  page.$eval('#uploader', (el) => {
    const { disabled, hint } = el as HTMLElementTagNameMap['svc-uploader'];
    return { disabled, hint };
  });

describe('the location of the admin page that is edited after connecting', () => {
  it.each([
    ['endpoint', 'https://store.example'],
    ['bucket', 'other'],
    ['region', 'eu-west-1'],
    ['prefix', 'second'],
  ])('accepts no files before the next connect, or until it is restored: %s', async (name, other) => {
    const before = await page.inputValue(`#${name}`);
    await page.fill(`#${name}`, other);
    expect(await state()).toMatch(/^The location changed\. Connect again\./);
    expect(await element()).toEqual({ disabled: true, hint: expect.stringMatching(/^The location changed\. Connect again\./) });
    // This option reconnects the uploader, which must stay disabled.
    await page.check('#location [name=if-there][value=replace]');
    expect(await element()).toMatchObject({ disabled: true });
    await page.fill(`#${name}`, before);
    expect(await state()).toBe('Connected to main/first/');
    expect(await element()).toEqual({ disabled: false, hint: expect.stringMatching(/^Any number/) });
  });

  it('receives files after the next connect', async () => {
    await page.fill('#prefix', 'second');
    await page.click('#connect');
    await expect.poll(state, SOON).toBe('Connected to main/second/');
    await page.check('#pick-mode [value=files]');
    await fileInputOf(page, '#uploader').setInputFiles((await createFile(folder, 'one.txt', 10)).path);
    await waitUntilComplete(page);
    expect(await product.listFiles('second/')).toHaveLength(1);
    expect(await product.listFiles('first/')).toEqual([]);
  });

  it('is restored after a reload without the keys, so that a transfer can continue', async () => {
    await page.reload();
    expect(await state()).toBe('Not connected.');
    expect(await page.isChecked('#location [value=other]')).toBe(true);
    expect(await page.inputValue('#prefix')).toBe('first');
    expect(await page.getAttribute('#secret', 'required')).toBe('');
    await page.check('#location [value=local]');
    await expect.poll(state, SOON).toMatch(/^Connected to main\/demo\/admin\//);
    await page.reload();
    await expect.poll(state, SOON).toMatch(/^Connected to main\/demo\/admin\//);
  });

  it('stays unconnected if it is edited while the page connects', async () => {
    let respond = (): void => {};
    await page.route(/list-type=2/, async (route) => {
      await new Promise<void>((resolve) => (respond = resolve));
      await route.continue();
    });
    const listRequest = page.waitForRequest(/list-type=2/);
    await page.click('#connect');
    await listRequest;
    await page.fill('#prefix', 'second');
    respond();
    await expect.poll(state, SOON).toMatch(/^The location changed\. Connect again\./);
    expect(await element()).toMatchObject({ disabled: true });
  });

  it('does not change for files that are being read, and the locked form shows the old one', async () => {
    const { path } = await createFile(folder, 'late.txt', 10);
    await page.check('#pick-mode [value=files]');
    await page.fill('#prefix', 'second');
    // The last files of a large folder arrive like this, after the folder was chosen.
    await page.$eval('#uploader', (el) => ((el as HTMLElementTagNameMap['svc-uploader']).disabled = false));
    await fileInputOf(page, '#uploader').setInputFiles(path);
    await waitUntilComplete(page);
    expect(await page.inputValue('#prefix')).toBe('first');
    expect(await page.isDisabled('#prefix')).toBe(true);
    expect(await state()).toBe('Connected to main/first/');
    expect(await product.listFiles('second/late.txt')).toEqual([]);
    expect(await product.listFiles('first/late.txt')).toHaveLength(1);
  });
});

describe('a refusal of the store', () => {
  const rows = () => page.locator('#uploader [part~=error]').allTextContents();
  const causes = () => page.locator('#failures-list > li').allTextContents();
  const chooseText = async () => {
    await page.check('#pick-mode [value=files]');
    await fileInputOf(page, '#uploader').setInputFiles((await createFile(folder, 'a.txt', 10)).path);
  };

  it.each([
    ['a kind of file', 'This folder takes files of type pdf.'],
    ['keys', 'This key pair is read-only.'],
  ])('shows the reason in the list and below it, with one piece of advice, for %s', async (of, reason) => {
    const post = (path: string, body: object) =>
      fetch(`${product.service}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    if (of === 'keys') {
      const reply = await post('s3-credentials', { name: 'reader', read_only: true });
      const { response: pair } = (await reply.json()) as { response: KeyPair };
      await connectTo(page, { 'key-id': pair.access_key_id, secret: pair.secret_access_key });
    } else {
      await post('rules', { prefix: 'typed', allowed_extensions: ['pdf'] });
      await connectTo(page, { prefix: 'typed' });
    }
    await expect.poll(state, SOON).toMatch(/^Connected to/);
    await chooseText();
    await expect
      .poll(causes, SOON)
      .toEqual([`1 file: ${reason} AccessDeniedThis is the message of the store. Fix what it names, then try again.a.txt`]);
    expect(await rows()).toEqual([reason]);
  });

  it('without a reason is reported as such in the list', async () => {
    const body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
    await page.route(/\/first\/a\.txt/, (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 403, body, headers: { 'access-control-allow-origin': '*' } })
        : route.continue(),
    );
    await chooseText();
    await expect.poll(causes, SOON).toEqual([expect.stringMatching(/AccessDenied ?Check the folder/)]);
    expect(await rows()).toEqual(['The store refused the file and gave no reason.']);
  });
});
