import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeContexts, fileInputOf, useChromium, openWatchedPage } from './chromium-page.js';
import { createFile } from './sample-files.js';
import { serveBuiltFiles, serveSite } from './site-server.js';
import type { PageServer } from './site-server.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

const MiB = 1024 ** 2;
/** A picture of one pixel, so that a preview is drawn. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Records events of the element, and violations that the browser reports. */
const SCRIPT = `
  window.seen = { violations: [], complete: 0, successful: 0 };
  document.addEventListener('securitypolicyviolation', (event) => {
    seen.violations.push(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sourceFile);
  });
  document.addEventListener('svc-complete', (event) => {
    seen.complete += 1;
    seen.successful += event.detail.successful.length;
  });
`;
interface Seen {
  violations: string[];
  complete: number;
  successful: number;
}
const readSeen = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);

let product: Product;
let browser: Browser;
let folder: string;
const servers: PageServer[] = [];

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([useProduct(), useChromium(), mkdtemp(join(tmpdir(), 'svc-strict-'))]);
});
afterAll(async () => {
  await closeContexts(browser);
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function site(page: { csp: string; body: string; script: string }): Promise<string> {
  const server = await serveSite(product, page);
  servers.push(server);
  return server.origin;
}

describe('a page with the strictest Content-Security-Policy', () => {
  it('has no violation during uploads of all kinds, with a preview and in another language', async () => {
    const csp = [
      `default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'self' ${product.service}`,
      `base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html`,
    ].join('; ');
    const origin = await site({
      csp,
      script: SCRIPT,
      body: `<script src="/page.js"></script><script type="module" src="/assets/v1/svc-uploader.js"></script>
        <svc-uploader lang="ar" token-endpoint="/token" multiple label="ملفات"></svc-uploader>`,
    });
    const context = await browser.newContext();
    const { page, consoleErrors } = await openWatchedPage(context);
    await page.goto(origin);
    await page.getByRole('button', { name: 'اختيار ملفات' }).waitFor();

    const picture = join(folder, 'picture.png');
    await writeFile(picture, Buffer.from(PNG, 'base64'));
    const others = [createFile(folder, 'a.txt', 100), createFile(folder, 'b.txt', 200), createFile(folder, 'medium.bin', MiB)];
    const files = await Promise.all([...others, createFile(folder, 'large.bin', 17 * MiB)]);
    await fileInputOf(page, 'svc-uploader').setInputFiles([picture, ...files.map(({ path }) => path)]);
    await expect.poll(async () => (await readSeen(page)).successful, { timeout: 60_000 }).toBe(5);
    await page.locator('svc-uploader [part~="remove-button"]').first().click();
    await expect.poll(() => page.locator('svc-uploader [part~="file"]').count()).toBe(4);

    expect((await readSeen(page)).violations).toEqual([]);
    expect(consoleErrors).toEqual([]);
    const stored = (await product.listFiles('strict/')).map(({ size }) => size).sort((a, b) => a - b);
    expect(stored).toEqual([70, 100, 200, MiB, 17 * MiB].sort((a, b) => a - b));
    await context.close();
  });

  it('has no violation with verify under Trusted Types, and hashes the files in a worker', async () => {
    const origin = await site({
      csp: [
        `default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'self' ${product.service}`,
        `require-trusted-types-for 'script'; trusted-types lit-html svc-uploader`,
      ].join('; '),
      script: SCRIPT,
      body: `<script src="/page.js"></script><script type="module" src="/assets/v1/svc-uploader.js"></script>
        <svc-uploader token-endpoint="/token" multiple verify></svc-uploader>`,
    });
    const context = await browser.newContext();
    const { page, consoleErrors } = await openWatchedPage(context);
    const workers: string[] = [];
    page.on('worker', (worker) => workers.push(worker.url()));
    await page.goto(origin);
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    const files = await Promise.all([createFile(folder, 'one.bin', 5 * MiB), createFile(folder, 'two.bin', 6 * MiB)]);
    await fileInputOf(page, 'svc-uploader').setInputFiles(files.map(({ path }) => path));
    await expect.poll(async () => (await readSeen(page)).successful, { timeout: 60_000 }).toBe(2);
    expect((await readSeen(page)).violations).toEqual([]);
    expect(consoleErrors).toEqual([]);
    expect(workers).toEqual([expect.stringContaining(`${origin}/assets/v1/svc-uploader/hash-worker-`)]);
    await context.close();
  });

  it('has no violation while a person edits a picture', async () => {
    const origin = await site({
      csp: [
        `default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'self' ${product.service}`,
        `require-trusted-types-for 'script'; trusted-types lit-html`,
      ].join('; '),
      script: SCRIPT,
      body: `<script src="/page.js"></script><script type="module" src="/assets/v1/svc-uploader.js"></script>
        <svc-uploader token-endpoint="/token" multiple editable crop-ratio="free, 1:1"></svc-uploader>`,
    });
    const context = await browser.newContext();
    const { page, consoleErrors } = await openWatchedPage(context);
    await page.goto(origin);
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    const picture = join(folder, 'edited.png');
    await writeFile(picture, Buffer.from(PNG, 'base64'));
    await fileInputOf(page, 'svc-uploader').setInputFiles([picture]);
    await expect.poll(async () => (await readSeen(page)).successful).toBe(1);
    await page.getByRole('button', { name: 'Edit edited.png' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit edited.png' });
    await dialog.getByRole('application', { name: 'Crop area' }).hover();
    await dialog.getByRole('radio', { name: '1:1' }).check();
    await dialog.getByRole('slider', { name: 'Straighten' }).press('ArrowRight');
    await dialog.getByRole('button', { name: 'Mirror' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect.poll(async () => (await readSeen(page)).successful).toBe(2);
    expect((await readSeen(page)).violations).toEqual([]);
    expect(consoleErrors).toEqual([]);
    await context.close();
  });

  it('records a violation by the page itself', async () => {
    const origin = await site({
      csp: "default-src 'none'; script-src 'self'; style-src 'none'",
      script: SCRIPT,
      body: `<script src="/page.js"></script><p style="color: red">x</p>`,
    });
    const page = await browser.newPage();
    await page.goto(origin);
    await expect.poll(async () => (await readSeen(page)).violations.length).toBe(1);
    await page.close();
  });
});

describe('the self-contained file', () => {
  it('finds its chunks beside itself on another origin and path', async () => {
    const cdn = await serveBuiltFiles();
    servers.push(cdn);
    const script = `${cdn.origin}/assets/v1/svc-uploader.js`;
    const origin = await site({
      csp: `default-src 'none'; script-src 'self' ${cdn.origin}; connect-src 'self' ${product.service}`,
      script: SCRIPT,
      body: `<script type="module" src="${script}"></script><svc-uploader locale="fr" token-endpoint="/token"></svc-uploader>`,
    });
    const { page, consoleErrors, requests } = await openWatchedPage(await browser.newContext());
    await page.goto(origin);
    await page.getByRole('button', { name: 'Choisir un fichier' }).waitFor();
    const chunks = requests.filter((one) => one.startsWith(`GET ${cdn.origin}/assets/v1/svc-uploader/`));
    expect(chunks.length).toBeGreaterThan(0);
    expect(consoleErrors).toEqual([]);
    await page.context().close();
  });
});
