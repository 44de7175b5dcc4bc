import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { useBuild } from '../support/shared-server.js';
import { TestService } from '../service/support.js';
import { closeContexts, fileInputOf, useChromium, openWatchedPage } from './chromium-page.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
await useBuild();

let service: TestService;
let browser: Browser;
beforeAll(async () => void ([service, browser] = await Promise.all([TestService.start(), useChromium()])));
afterAll(async () => {
  await closeContexts(browser);
  await service?.stop();
});

const openPhone = async () => openWatchedPage(await browser.newContext({ viewport: { width: 390, height: 800 } }));
const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

describe('the API reference', () => {
  it('sends a request with the key, shows the examples of a language, and fits a phone', async () => {
    const { page, consoleErrors } = await openPhone();
    await page.goto(`${service.url}/docs#get_v1_stats`);
    const operation = page.locator('#get_v1_stats');
    await page.locator('#key').fill(service.key);

    await operation.getByRole('button', { name: 'Send GET' }).click();

    const output = operation.locator('output');
    await output.getByText('200', { exact: false }).waitFor();
    expect(await output.textContent()).toContain('"uploads_in_progress": 0');
    await page.getByLabel('Python').check();
    expect(await operation.locator('pre:visible').allTextContents()).toEqual([expect.stringContaining('import requests')]);
    expect(await page.evaluate(overflow)).toBe(0);
    expect(consoleErrors).toEqual([]);
  });
});

describe('the page of an upload request', () => {
  it('uploads the files of a visitor into the folder, under a strict policy', async () => {
    const body = {
      prefix: 'inbox',
      mode: 'upload',
      title: 'Send us your photos',
      accent: '#0b7285',
      allowed_extensions: ['png'],
    };
    const { response } = await service.call<{ id: string; url: string }>('POST', '/v1/shares', { body });
    const { page, consoleErrors } = await openPhone();
    await page.goto(response.url);

    await fileInputOf(page, 'svc-uploader').setInputFiles({
      name: 'photo.png',
      mimeType: 'image/png',
      buffer: Buffer.from(PIXEL, 'base64'),
    });

    await expect.poll(() => service.paths()).toContainEqual(expect.stringMatching(/^inbox\/photo-\w+\.png$/));
    await expect.poll(() => page.$eval('svc-uploader', (element) => (element as SvcUploader).values.length)).toBe(1);
    expect(await page.evaluate(overflow)).toBe(0);
    expect(consoleErrors).toEqual([]);
  });
});

describe('the pages of a share', () => {
  it('open with the password, show a picture, violate no policy and fit a phone', async () => {
    await service.put('trip/A picture with a long name that wraps on a phone.png', Buffer.from(PIXEL, 'base64'), {
      headers: { 'Content-Type': 'image/png' },
    });
    const body = { prefix: 'trip', password: 'right', title: 'Summer', accent: '#d6336c' };
    const { response } = await service.call<{ url: string }>('POST', '/v1/shares', { body });
    const { page, consoleErrors } = await openPhone();
    await page.goto(response.url);
    await page.getByLabel('Password').fill('right');
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Summer' }).waitFor();
    expect(await page.evaluate(overflow)).toBe(0);

    await page.getByRole('link', { name: /A picture/ }).click();

    const picture = page.getByRole('img', { name: /A picture/ });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(1);
    expect(await page.evaluate(overflow)).toBe(0);
    // The browser reports the status of the password form, and looks for an icon of the site.
    expect(consoleErrors.filter((text) => !/401|favicon/.test(text))).toEqual([]);
  });
});
