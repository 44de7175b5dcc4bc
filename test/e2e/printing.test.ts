import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { closeContexts, useChromium } from './chromium-page.js';
import { serveSite } from './site-server.js';
import type { PageServer } from './site-server.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

const COUNT = 60;
let product: Product;
let browser: Browser;
let site: PageServer;

beforeAll(async () => {
  [product, browser] = await Promise.all([useProduct(), useChromium()]);
  const body = `<script type="module" src="/assets/v1/svc-uploader.js"></script>
    <svc-uploader multiple manual label="Documents" token-endpoint="/token"></svc-uploader><p>After the list</p>`;
  site = await serveSite(product, { csp: '', body, script: '' });
});
afterAll(async () => {
  await closeContexts(browser);
  await site?.stop();
});

/** Opens a page with many files, whose names are too long for a row. */
async function pageWithFiles(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 600, height: 800 } });
  await page.goto(site.origin);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  await page.$eval(
    'svc-uploader',
    async (el, count) => {
      const name = (index: number) => `${'A name that is longer than its row. '.repeat(4)}${index}.txt`;
      await (el as SvcUploader).addFiles(Array.from({ length: count }, (_, index) => new File(['x'], name(index))));
    },
    COUNT,
  );
  // Printing before the first row is drawn would print an empty list.
  await page.locator('svc-uploader [part=file]').first().waitFor();
  return page;
}

describe('a printed page', () => {
  it('shows every row with its whole name and without buttons', async () => {
    const page = await pageWithFiles();
    await page.emulateMedia({ media: 'print' });
    const seen = await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      const root = document.querySelector('svc-uploader')!.shadowRoot!;
      const list = root.querySelector('[part=list]')!;
      const files = root.querySelector('[part=files]')!.getBoundingClientRect();
      const rows = [...root.querySelectorAll('[part=file]')];
      const isShown = (row: Element) => {
        const name = row.querySelector<HTMLElement>('.whole')!;
        const [inner, outer] = [name.getBoundingClientRect(), row.getBoundingClientRect()];
        const isInside = inner.top >= outer.top && inner.bottom <= outer.bottom && inner.right <= outer.right;
        return isInside && outer.bottom <= files.bottom && getComputedStyle(name).webkitTextFillColor !== 'rgba(0, 0, 0, 0)';
      };
      return {
        rows: rows.length,
        shown: rows.filter(isShown).length,
        hidden: list.scrollHeight - list.clientHeight,
        pressed: [...root.querySelectorAll<HTMLElement>('[part=files] button')].filter((one) => one.offsetParent !== null).length,
      };
    });
    expect(seen).toEqual({ rows: COUNT, shown: COUNT, hidden: 0, pressed: 0 });
    await page.close();
  });

  it('needs as many sheets as its rows', async () => {
    const page = await pageWithFiles();
    const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)!.length;
    // The rows alone are higher than three sheets.
    expect(sheets).toBeGreaterThanOrEqual(4);
    await page.close();
  });
});
