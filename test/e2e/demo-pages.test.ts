import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeContexts, useChromium, findAxeViolations, openWatchedPage } from './chromium-page.js';
import type { WatchedPage } from './chromium-page.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

const PAGES = ['', 'form', 'playground', 'admin', 'nowhere'];
let product: Product;
let browser: Browser;
let context: BrowserContext;
let watched: WatchedPage;

beforeAll(async () => {
  [product, browser] = await Promise.all([useProduct(), useChromium()]);
});
afterAll(async () => {
  await closeContexts(browser);
});
beforeEach(async () => {
  context = await browser.newContext();
  watched = await openWatchedPage(context);
});
afterEach(() => context.close());

describe.each(PAGES)('the page "/%s"', (path) => {
  it('has no violation of axe in either color scheme, on a phone or a desktop', async () => {
    const { page } = watched;
    await page.goto(`${product.demo}/${path}`);
    for (const width of [390, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 });
        // Colors that are changing have other contrasts.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        expect(await findAxeViolations(watched), `${colorScheme}, ${width} px`).toEqual([]);
      }
  });

  it('fits every width, down to the narrowest phone', async () => {
    const { page } = watched;
    await page.goto(`${product.demo}/${path}`);
    for (const width of [280, 320, 390, 768]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBe(width);
    }
  });
});

describe('an address without a page', () => {
  it('shows a page with a link to the start page', async () => {
    const { page } = watched;
    const response = await page.goto(`${product.demo}/docs/nothing.md`);
    expect(response!.status()).toBe(404);
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await expect.poll(() => page.url()).toBe(`${product.demo}/`);
  });
});
