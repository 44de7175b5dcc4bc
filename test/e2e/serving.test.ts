import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBlobService } from '../../server/service/index.js';
import type { BlobService } from '../../server/service/index.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { closeContexts, useChromium } from './chromium-page.js';

/** A site that embeds files, serves the same bytes without the headers of the service, and records every script that ran. */
let site: Server;
let siteUrl: string;
const ran: string[] = [];
let dataDir: string;
let service: BlobService;
let url: string;
let s3Url: string;
let key: string;
let browser: Browser;

const html = (text: string) => `<!doctype html><title>x</title>${text}`;
const reportScript = (name: string) => `fetch('${siteUrl}/ran/${name}', { mode: 'no-cors' })`;

/** Files that run a script if a browser trusts them, with their declared type. */
const EVIL: Record<string, { type: string; bytes: () => string }> = {
  'page.html': { type: 'text/html', bytes: () => html(`<script>${reportScript('page.html')}</script>`) },
  'picture.svg': {
    type: 'image/svg+xml',
    bytes: () =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${reportScript('picture.svg')}</script></svg>`,
  },
  'page.xhtml': {
    type: 'application/xhtml+xml',
    bytes: () => `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${reportScript('page.xhtml')}</script></body></html>`,
  },
  'fake.png': { type: 'image/png', bytes: () => html(`<script>${reportScript('fake.png')}</script>`) },
  'notes.txt': { type: 'text/plain', bytes: () => html(`<script>${reportScript('notes.txt')}</script>`) },
};

/** Creates a PDF of one red page. */
function createPdf(): Buffer {
  const red = '1 0 0 rg 0 0 612 792 re f';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<>>>>',
    `<</Length ${red.length}>>stream\n${red}\nendstream`,
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const xref = text.length;
  text += `xref\n0 5\n0000000000 65535 f \n${offsets.join('')}trailer<</Size 5/Root 1 0 R>>\nstartxref\n${xref}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}

async function storePublicFile(path: string, type: string, body: string | Buffer): Promise<FileRecord> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type };
  const query = 'visibility=public&content_disposition=inline';
  const response = await fetch(`${url}/v1/files/${path}?${query}`, { method: 'PUT', headers, body: body as BodyInit });
  return ((await response.json()) as { response: FileRecord }).response;
}

beforeAll(async () => {
  site = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const [first, ...rest] = path.split('/');
    const evil = EVIL[rest.join('/')];
    if (first === 'ran') ran.push(rest.join('/'));
    if (first === 'control')
      return response.setHeader('Content-Type', 'text/html').end(html(`<script>${reportScript('control')}</script>`));
    if (first === 'plain' && evil) return response.setHeader('Content-Type', evil.type).end(evil.bytes());
    if (first === 'plain') return response.setHeader('Content-Type', 'application/pdf').end(createPdf());
    return response.setHeader('Content-Type', 'text/html').end(html(first === 'embed' ? embedding(rest.join('/')) : ''));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  dataDir = await mkdtemp(join(tmpdir(), 'svc-serving-'));
  service = await createBlobService({ dataDir, port: 0, s3Port: 0 });
  const addresses = await service.listen();
  url = addresses.url;
  s3Url = addresses.s3Url!;
  key = (await service.core.keys.create('main', { name: 'serving', scopes: ['blob:read', 'blob:write'] })).secret;
  browser = await useChromium();
});
afterAll(async () => {
  await closeContexts(browser);
  await service.close();
  site.close();
  site.closeAllConnections();
  await rm(dataDir, { recursive: true, force: true });
});

const embedding = (address: string) =>
  `<iframe src="${address}"></iframe><object data="${address}"></object><embed src="${address}"><img src="${address}">`;

/** Opens an address. The browser shows, refuses or saves it. */
async function visit(address: string): Promise<{ page: Page; saved: string[] }> {
  const page = await browser.newPage();
  const saved: string[] = [];
  page.on('download', (download) => saved.push(download.suggestedFilename()));
  await page.goto(address).catch((cause: Error) => {
    if (!/Download is starting|ERR_ABORTED/.test(cause.message)) throw cause;
  });
  return { page, saved };
}

describe('a public file with a script', () => {
  it.each(['page.html', 'picture.svg', 'page.xhtml'])(
    '%s runs it on a server without the headers of the service',
    async (name) => {
      const { page } = await visit(`${siteUrl}/plain/${name}`);
      await expect.poll(() => ran).toContain(name);
      await page.close();
      ran.length = 0;
    },
  );

  it.each(Object.keys(EVIL))('%s does not run it, opened or embedded', async (name) => {
    const { type, bytes } = EVIL[name]!;
    const file = await storePublicFile(`evil/${name}`, type, bytes());
    const opened = await visit(file.url!);
    // The browser saves types that could run a script, and shows the others.
    await expect.poll(() => opened.saved).toEqual(['fake.png', 'notes.txt'].includes(name) ? [] : [name]);
    const pages = [opened.page];
    // Over S3, the owner decides the type. There only the sandbox prevents the script.
    for (const address of [file.url!, `${s3Url}/main/evil/${name}`]) {
      expect((await fetch(address)).status).toBe(200);
      pages.push((await visit(`${siteUrl}/embed/${encodeURIComponent(address)}`)).page, (await visit(address)).page);
    }
    // A script of the file would have run before that of the control page, which opens last.
    pages.push((await visit(`${siteUrl}/control`)).page);
    await expect.poll(() => ran).toContain('control');
    expect(ran.splice(0)).toEqual(['control']);
    for (const page of pages) await page.close();
  });
});

describe('a public PDF', () => {
  const countViewers = (page: Page) => page.frames().filter((frame) => frame.url().startsWith('chrome-extension://')).length;

  it('opens in the viewer of the browser, sandboxed like every file', async ({ skip }) => {
    const plain = await visit(`${siteUrl}/plain/a.pdf`);
    const hasViewer = await vi
      .waitUntil(() => countViewers(plain.page) > 0, 3000)
      .then(
        () => true,
        () => false,
      );
    await plain.page.close();
    skip(!hasViewer, 'this Chromium has no viewer for PDF');
    const file = await storePublicFile('paper/näme.pdf', 'application/pdf', createPdf());
    const response = await fetch(file.url!);
    expect([response.headers.get('content-security-policy'), response.headers.get('x-content-type-options')]).toEqual([
      "sandbox; default-src 'none'",
      'nosniff',
    ]);
    const opened = await visit(file.url!);
    await expect.poll(() => countViewers(opened.page), { timeout: 10_000 }).toBe(1);
    expect(opened.saved).toEqual([]);
    await opened.page.close();
    const embedded = await visit(`${siteUrl}/embed/${encodeURIComponent(file.url!)}`);
    await expect.poll(() => countViewers(embedded.page), { timeout: 10_000 }).toBeGreaterThan(0);
    await embedded.page.close();
  });
});
