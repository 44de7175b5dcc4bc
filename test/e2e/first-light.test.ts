import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dropFiles, inputOf, launch, objections, watchedPage } from './browser.js';
import type { WatchedPage } from './browser.js';
import { sample, sha256Of } from './files.js';
import type { SampleFile } from './files.js';
import { startProduct } from './product.js';
import type { Product } from './product.js';

const MiB = 1024 ** 2;
let product: Product;
let browser: Browser;
let folder: string;
let context: BrowserContext;
let watched: WatchedPage;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([startProduct(), launch(), mkdtemp(join(tmpdir(), 'svc-files-'))]);
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
  expect(await product?.stop()).toBe(0);
});
beforeEach(async () => {
  context = await browser.newContext();
  watched = await watchedPage(context);
});
afterEach(async () => {
  expect(watched.complaints).toEqual([]);
  // The key is in no answer, header or page that the browser was given, whatever it did.
  const received = [...watched.received, await watched.page.content()].join('\n');
  expect(received.length).toBeGreaterThan(1000);
  expect(received).not.toContain(product.apiKey);
  expect(received).not.toMatch(/svc_live_\w/);
  await context.close();
});

/** What the page says the service stored, once there are so many. */
async function storedRows(count: number): Promise<{ path: string; sha256: string }[]> {
  const rows = watched.page.locator('#stored li');
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(count);
  return rows.evaluateAll((all) =>
    all.map((row) => ({ path: (row as HTMLElement).dataset['path']!, sha256: (row as HTMLElement).dataset['sha256']! })),
  );
}

async function expectStored(files: SampleFile[], rows: { path: string; sha256: string }[]): Promise<void> {
  expect(rows.map((row) => row.sha256).toSorted()).toEqual(files.map((file) => file.sha256).toSorted());
  for (const file of files) {
    const { path } = rows.find((row) => row.sha256 === file.sha256)!;
    const [record, ...more] = await product.list(path);
    expect(more).toEqual([]);
    expect(record).toMatchObject({ path, size: file.size, sha256: file.sha256 });
    // What the service says of the bytes is one thing; the bytes are another.
    expect(await sha256Of(await product.content(record!.id))).toBe(file.sha256);
  }
}

describe('the demo', () => {
  it('stores chosen files of every kind and size with equal SHA-256', async () => {
    const files = await Promise.all([
      sample(folder, 'empty.bin', 0),
      sample(folder, 'one.bin', 1),
      sample(folder, 'ten.bin', 10 * 1024),
      sample(folder, 'Grüße aus São Paulo – 100 % 😀.txt', 5000),
      sample(folder, 'big.bin', 100 * MiB),
    ]);
    const { page } = watched;
    await page.goto(product.demo);
    await inputOf(page, '#uploader').setInputFiles(files.map((file) => file.path));
    const rows = await storedRows(5);
    await expectStored(files, rows);
    expect(rows.every((row) => row.path.startsWith('demo/inbox/'))).toBe(true);
    expect(rows.some((row) => row.path.includes('Grüße aus São Paulo'.normalize('NFC')) && row.path.includes('😀'))).toBe(true);
  });

  it('stores a dropped file of 100 MiB and shows its progress', async () => {
    const big = await sample(folder, 'dropped.bin', 100 * MiB);
    const { page } = watched;
    await page.goto(product.demo);
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      document.addEventListener('svc-upload-progress', (event) =>
        seen.push((event as CustomEvent<{ sent: number }>).detail.sent),
      );
    });
    await dropFiles(page, page.locator('#uploader'), [big.path]);
    await expect.poll(() => page.locator('#uploader progress').count()).toBeGreaterThan(0);
    await expectStored([big], await storedRows(1));
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(big.size);
  });

  it('refuses in the page what the token would not allow, before a byte is sent', async () => {
    const { page } = watched;
    const [large, script] = await Promise.all([sample(folder, 'large.pdf', 10 * MiB + 1), sample(folder, 'run.exe', 10)]);
    await page.goto(`${product.demo}/form`);
    await page.evaluate(() => {
      const codes: string[] = [];
      Object.assign(globalThis, { codes });
      document.addEventListener('svc-file-reject', (event) => codes.push((event as CustomEvent<{ code: string }>).detail.code));
    });
    await inputOf(page, '#documents').setInputFiles([large.path, script.path]);
    const codes = () => page.evaluate(() => (globalThis as unknown as { codes: string[] }).codes);
    await expect.poll(codes).toEqual(['BLOB_FILE_TOO_LARGE', 'BLOCKED_FILE_TYPE']);
    expect(watched.asked.filter((one) => one.includes('/v1/') || one.includes('/upload-token'))).toEqual([]);
    for (const { name } of [large, script]) await page.locator('#documents').getByText(name).first().waitFor();
  });

  it('refuses in the service what gets past the page', async () => {
    const { page } = watched;
    await page.goto(`${product.demo}/form`);
    const answers = await page.evaluate(async () => {
      const ask = await fetch('/upload-token?for=documents', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ files: [{ name: 'a.pdf', size: 1, type: '' }] }),
      });
      const { token, url } = (await ask.json()) as { token: string; url: string };
      const send = async (name: string, size: number) => {
        const response = await fetch(`${url}/v1/files`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-disposition': `attachment; filename="${name}"` },
          body: new Blob([new Uint8Array(size)]),
        });
        const { code } = (await response.json()) as { code: string };
        return `${response.status} ${code}`;
      };
      return [await send('large.pdf', 10 * 1024 ** 2 + 1), await send('run.exe', 10)];
    });
    expect(answers).toEqual(['413 BLOB_FILE_TOO_LARGE', '415 BLOCKED_FILE_TYPE']);
    expect(await product.list('demo/documents/')).toEqual([]);
    // The browser logs every refused request as a failed resource.
    watched.complaints.splice(0);
  });

  it.each([
    ['Send', 'multipart/form-data'],
    ['Send URL-encoded', 'application/x-www-form-urlencoded'],
  ])('submits its form natively (%s) and shows what arrived, checked with the storage', async (button, encoding) => {
    const { page } = watched;
    const file = await sample(folder, 'résumé of “me” & co.pdf', 4321);
    await page.goto(`${product.demo}/form`);
    await page.fill('#name', '<b>Ada</b>');
    await page.fill('#email', 'ada@example.com');
    await inputOf(page, '#documents').setInputFiles(file.path);
    await expect.poll(() => page.$eval('#documents', (el) => (el as HTMLElement & { value: unknown }).value)).toBeTruthy();
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('heading', { name: 'Received.' }).waitFor();
    expect(await objections(page)).toEqual([]);
    const said = await page.locator('main').innerText();
    expect(said).toContain(encoding);
    expect(said).toContain('<b>Ada</b>');
    expect(said).toContain(`sha256 ${file.sha256}`);
    const record = (await product.list('demo/documents/')).find((one) => said.includes(one.path));
    expect(record).toMatchObject({ sha256: file.sha256, size: 4321, visibility: 'private' });
  });

  it('believes no path that is not stored', async () => {
    const { page } = watched;
    await page.goto(`${product.demo}/form`);
    const answer = await page.evaluate(async () => {
      const body = new URLSearchParams([
        ['documents', 'demo/documents/forged.pdf'],
        ['documents', '../../etc/passwd'],
      ]);
      return (await fetch('/form', { method: 'POST', body, headers: { accept: 'application/json' } })).json();
    });
    expect(answer).toMatchObject({ entries: [{ file: null }, { file: null }] });
  });
});
