import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findAxeViolations } from './chromium-page.js';
import { createFile, hashResponse } from './sample-files.js';
import type { SampleFile } from './sample-files.js';
import { BROWSERS } from './browser-page.js';
import type { BrowserPage, BrowserDriver } from './browser-page.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';
import type { SvcUploader } from '../../src/element/svc-uploader.js';

const MiB = 1024 ** 2;
let product: Product;
let folder: string;
let page: BrowserPage;

beforeAll(async () => {
  [product, folder] = await Promise.all([useProduct(), mkdtemp(join(tmpdir(), 'svc-files-'))]);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Waits until the page lists this many stored files. */
async function waitForRows(count: number): Promise<{ path: string; sha256: string }[]> {
  const rows = () =>
    page.run(() =>
      Array.from(document.querySelectorAll<HTMLElement>('#stored li'), ({ dataset }) => ({
        path: dataset['path']!,
        sha256: dataset['sha256']!,
      })),
    );
  await expect.poll(rows, { timeout: 60_000 }).toHaveLength(count);
  return rows();
}

async function expectStored(files: SampleFile[], rows: { path: string; sha256: string }[]): Promise<void> {
  expect(rows.map((row) => row.sha256).toSorted()).toEqual(files.map((file) => file.sha256).toSorted());
  for (const file of files) {
    const { path } = rows.find((row) => row.sha256 === file.sha256)!;
    const [record, ...more] = await product.listFiles(path);
    expect(more).toEqual([]);
    expect(record).toMatchObject({ path, size: file.size, sha256: file.sha256 });
    // The hash of the service is not enough: the bytes must be equal.
    expect(await hashResponse(await product.readContent(record!.id))).toBe(file.sha256);
  }
}

describe.each(Object.entries(BROWSERS))('in %s, the demo', (_name, open) => {
  let driver: BrowserDriver;
  beforeAll(async () => {
    driver = await open();
  });
  afterAll(() => driver?.close());
  beforeEach(async () => {
    page = await driver.open(product.demo, { recordsResponses: true });
  });
  afterEach(async () => {
    expect(page.consoleErrors ?? []).toEqual([]);
    // No response, header or page contains the key.
    const html = await page.run(() => document.documentElement.outerHTML);
    const received = [...(page.responses ?? []), html].join('\n');
    expect(received.length).toBeGreaterThan(1000);
    expect(received).not.toContain(product.apiKey);
    expect(received).not.toMatch(/svc_live_\w/);
    await page.close();
  });

  it('stores chosen files of every kind and size with equal SHA-256', async () => {
    const files = await Promise.all([
      createFile(folder, 'empty.bin', 0),
      createFile(folder, 'one.bin', 1),
      createFile(folder, 'ten.bin', 10 * 1024),
      createFile(folder, 'Grüße aus São Paulo – 100 % 😀.txt', 5000),
      createFile(folder, 'big.bin', 100 * MiB),
    ]);
    await page.choose(
      files.map((file) => file.path),
      '#uploader',
    );
    const rows = await waitForRows(5);
    await expectStored(files, rows);
    expect(rows.every((row) => row.path.startsWith('demo/inbox/'))).toBe(true);
    expect(rows.some((row) => row.path.includes('Grüße aus São Paulo'.normalize('NFC')) && row.path.includes('😀'))).toBe(true);
  });

  it('stores a dropped file of 100 MiB and shows its progress', async () => {
    const big = await createFile(folder, 'dropped.bin', 100 * MiB);
    await page.run(() => {
      const seen: number[] = [];
      const bars: number[] = [];
      Object.assign(globalThis, { recorded: { seen, bars } });
      document.body.addEventListener('svc-upload-progress', ({ detail }) => {
        seen.push(detail.sent);
        bars.push(document.querySelector('#uploader')!.shadowRoot!.querySelector('progress')?.value ?? 0);
      });
    });
    await page.drop([big.path], '#uploader');
    await expectStored([big], await waitForRows(1));
    const { seen, bars } = await page.run(
      () => (globalThis as unknown as { recorded: { seen: number[]; bars: number[] } }).recorded,
    );
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toBe(big.size);
    expect(Math.max(...bars)).toBeGreaterThan(0);
  });

  it('rejects in the page what the token forbids, before it sends a byte', async () => {
    const [large, script] = await Promise.all([createFile(folder, 'large.pdf', 10 * MiB + 1), createFile(folder, 'run.exe', 10)]);
    await page.go(`${product.demo}/form`);
    await page.run(() => {
      const codes: string[] = [];
      Object.assign(globalThis, { codes });
      document.body.addEventListener('svc-file-reject', ({ detail }) => codes.push(detail.code));
    });
    await page.choose([large.path, script.path], '#documents');
    const codes = () => page.run(() => (globalThis as unknown as { codes: string[] }).codes);
    await expect.poll(codes).toEqual(['BLOB_FILE_TOO_LARGE', 'BLOCKED_FILE_TYPE']);
    const addresses = await page.run(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((one) => one.includes('/v1/') || one.includes('/upload-token'))).toEqual([]);
    const shown = () => page.run(() => document.querySelector('#documents')!.shadowRoot!.textContent!);
    for (const { name } of [large, script]) await expect.poll(shown).toContain(name);
  });

  it('rejects in the service what bypasses the page', async () => {
    await page.go(`${product.demo}/form`);
    const outcomes = await page.run(async () => {
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
    expect(outcomes).toEqual(['413 BLOB_FILE_TOO_LARGE', '415 BLOCKED_FILE_TYPE']);
    const stored = await product.listFiles('demo/documents/');
    expect(stored.filter(({ path }) => /large|run/.test(path))).toEqual([]);
    // The browser logs every refused request as a failed resource.
    page.consoleErrors?.splice(0);
  });

  it.each([
    ['multipart/form-data', '.primary'],
    ['application/x-www-form-urlencoded', '[formenctype]'],
  ])('submits its form natively (%s) and shows the stored files', async (encoding, button) => {
    const file = await createFile(folder, 'résumé of “me” & co.pdf', 4321);
    await page.go(`${product.demo}/form`);
    await page.type('#name', '<b>Ada</b>');
    await page.type('#email', 'ada@example.com');
    await page.choose([file.path], '#documents');
    await expect
      .poll(() => page.run(() => document.querySelector<SvcUploader>('#documents')!.value), { timeout: 30_000 })
      .not.toBe('');
    await page.click(`button${button}`);
    const main = () => page.run(() => document.querySelector('main')!.innerText);
    await expect.poll(main, { timeout: 30_000 }).toContain('Received.');
    expect(await findAxeViolations(page)).toEqual([]);
    const text = await main();
    expect(text).toContain(encoding);
    expect(text).toContain('<b>Ada</b>');
    expect(text).toContain(`sha256 ${file.sha256}`);
    const record = (await product.listFiles('demo/documents/')).find((one) => text.includes(one.path));
    expect(record).toMatchObject({ sha256: file.sha256, size: 4321, visibility: 'private' });
  });

  it('accepts no path that is not stored', async () => {
    await page.go(`${product.demo}/form`);
    const result = await page.run(async () => {
      const body = new URLSearchParams([
        ['documents', 'demo/documents/forged.pdf'],
        ['documents', '../../etc/passwd'],
      ]);
      return (await fetch('/form', { method: 'POST', body, headers: { accept: 'application/json' } })).json();
    });
    expect(result).toMatchObject({ entries: [{ file: null }, { file: null }] });
  });
});
