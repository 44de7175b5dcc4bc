import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAdmin } from './admin-page.js';
import { launchChromium } from './chromium-page.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

let product: Product;
beforeAll(async () => {
  product = await useProduct();
});

// The first setting affects media queries, the second only container queries.
describe.each([
  ['by a setting of the browser', ['--blink-settings=defaultFontSize=32'], ''],
  ['by a style of the page', [], '200%'],
])('text of twice the size %s', (_, flags, fontSize) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(...flags);
  });
  afterAll(() => browser?.close());

  it.each([
    [390, 'the font of this machine', '0'],
    [390, 'a font that is 15% wider', '0.075em'],
    [768, 'a font that is 15% wider', '0.075em'],
    [1280, 'a font that is 15% wider', '0.075em'],
  ])('overflows nothing, %i px wide in %s', async (width, _font, spacing) => {
    const page = await browser.newPage({ viewport: { width, height: 844 } });
    await openAdmin(page, product);
    // Machines have different fallback fonts. A letter is about half as wide as its font is high, so 0.075em is 15%.
    await page.evaluate((spacing) => (document.documentElement.style.letterSpacing = spacing), spacing);
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), fontSize);
    await page.check('#location [value=other]');
    for (const number of ['887 bytes', '100.7 MB']) {
      const out = await page.evaluate((number) => {
        const out: string[] = [];
        if (document.documentElement.scrollWidth > innerWidth) out.push(`page: ${document.documentElement.scrollWidth}`);
        const place = document.querySelector('.location')!.getBoundingClientRect();
        for (const one of document.querySelectorAll('.work *')) {
          const { right, top, bottom } = one.getBoundingClientRect();
          if (right > place.left && top < place.bottom && bottom > place.top) out.push(`below the location: ${one.id}`);
        }
        for (const one of document.querySelectorAll('.transfer-log dd')) one.textContent = number;
        for (const box of document.querySelectorAll('.transfer-log div, .field'))
          if (box.scrollWidth > box.clientWidth) out.push(box.textContent.trim());
        return out;
      }, number);
      expect(out).toEqual([]);
    }
    await page.close();
  });
});
