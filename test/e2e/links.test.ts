import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { BROWSERS } from './browser-page.js';
import type { BrowserDriver, BrowserPage } from './browser-page.js';
import { startFaultySite } from './faulty-site.js';
import type { FaultySite } from './faulty-site.js';

const BYTES = Buffer.alloc(300_000, 'photo');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');

/** The website whose files are linked. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let requests: IncomingMessage[] = [];
const website = createServer((request, response) => {
  requests.push(request);
  response.on('error', () => {});
  respond(request, response);
});

let site: FaultySite;
let page: BrowserPage;
let base: string;
beforeAll(async () => {
  website.listen(0, '127.0.0.1');
  await once(website, 'listening');
  base = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
  site = await startFaultySite({ FETCH: 'on', OUTBOUND_ALLOW: '127.0.0.1' });
});
afterAll(async () => {
  await site?.close();
  website.closeAllConnections();
  website.close();
});

/** Opens the dialog, enters a link and presses Add, as a person does. */
const addLink = (link: string) =>
  page.run(async (text: string) => {
    const root = document.querySelector('svc-uploader')!.shadowRoot!;
    const until = async (find: () => HTMLElement | null | undefined) => {
      for (let turn = 0; turn < 500 && !find(); turn++) await new Promise((resolve) => setTimeout(resolve, 20));
      return find()!;
    };
    const pick = await until(() => root.querySelector<HTMLElement>('.pick[aria-haspopup]'));
    pick.click();
    const entry = () =>
      [...root.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) => one.textContent!.includes('link'));
    (await until(entry)).click();
    const field = (await until(() => root.querySelector<HTMLInputElement>('.source-dialog input'))) as HTMLInputElement;
    field.value = text;
    root.querySelector<HTMLElement>('.source-dialog [type=submit]')!.click();
  }, link);

/** Reads name, status and message of every row. */
const rows = () =>
  page.run(() =>
    document.querySelector<SvcUploader>('svc-uploader')!.uploads.map(({ id, name, state }) => {
      const row = document.querySelector('svc-uploader')!.shadowRoot!.querySelector(`[data-id="${id}"]`);
      return [name, state.status, row?.querySelector('[part~=error]')?.textContent?.trim() ?? ''];
    }),
  );
const formValues = () => page.run(() => new FormData(document.querySelector('form')!).getAll('files').filter(Boolean).length);
const press = (part: string) =>
  page.run(
    (name: string) => document.querySelector('svc-uploader')!.shadowRoot!.querySelector<HTMLElement>(`[part=${name}]`)!.click(),
    part,
  );

const SLOW = { timeout: 40_000, interval: 100 };

describe.each(Object.entries(BROWSERS))('in %s, a file from a link', (_name, open) => {
  let driver: BrowserDriver;
  beforeAll(async () => {
    driver = await open();
  });
  afterAll(() => driver?.close());
  beforeEach(async () => {
    requests = [];
    respond = (_request, response) => response.setHeader('Content-Type', 'image/jpeg').end(BYTES);
    site.startFolder();
    site.setTokenOptions({ allow_fetch: true, allow_delete: true, max_uses: 10 });
    page = await driver.open(`${site.page}?sources=device+url&removal=delete`);
  });
  afterEach(() => page.close());

  it('is stored with its bytes, stays after a reload, and can be deleted', async () => {
    respond = (_request, response) =>
      response
        .setHeader('Content-Type', 'image/jpeg')
        .setHeader('Content-Disposition', `attachment; filename*=UTF-8''M%C3%BCller.jpg`)
        .end(BYTES);
    await addLink(`${base}/download?id=1`);
    await expect.poll(rows, SLOW).toEqual([['Müller.jpg', 'done', '']]);
    expect(requests[0]!.headers.authorization).toBeUndefined();
    const [stored] = await site.listFiles();
    expect([stored!.sha256, stored!.content_type]).toEqual([SHA256, 'image/jpeg']);
    await page.reload();
    await expect.poll(formValues, SLOW).toBe(1);
    await expect.poll(rows, SLOW).toEqual([['Müller.jpg', 'done', '']]);
    respond = (_request, response) => response.end(BYTES);
    await page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.clear());
    await addLink(`${base}/b.jpg`);
    await expect.poll(rows, SLOW).toEqual([['b.jpg', 'done', '']]);
    await press('remove-button');
    await expect.poll(rows, SLOW).toEqual([]);
    expect((await site.listFiles()).map(({ id }) => id)).toEqual([stored!.id]);
  });

  it('shows its progress, and ends at the website when it is canceled', async () => {
    const timers: NodeJS.Timeout[] = [];
    respond = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100000000' });
      timers.push(setInterval(() => response.write(Buffer.alloc(100_000)), 50));
    };
    await addLink(`${base}/film.mp4`);
    const progress = () =>
      page.run(() => {
        const el = document.querySelector<SvcUploader>('svc-uploader')!;
        return [el.uploads[0]?.size, el.shadowRoot!.querySelector('progress')?.position ?? -1] as const;
      });
    await expect.poll(async () => (await progress())[1], SLOW).toBeGreaterThan(0);
    expect((await progress())[0]).toBe(100_000_000);
    await press('remove-button');
    await expect.poll(() => requests[0]!.socket.destroyed, SLOW).toBe(true);
    for (const timer of timers) clearInterval(timer);
    expect([await rows(), await site.listFiles()]).toEqual([[], []]);
    const uses = async () => (await site.listTokens()).reduce((sum, token) => sum + token.uses, 0);
    await expect.poll(uses, SLOW).toBe(0);
  });

  it('is stored once if the response of the service is lost', async () => {
    site.proxy.on({ method: 'POST', path: /files\/fetch$/, times: 1, fault: { dropResponse: true } });
    await addLink(`${base}/a.jpg`);
    await expect.poll(rows, SLOW).toEqual([['a.jpg', 'done', '']]);
    expect(await site.listFiles()).toHaveLength(1);
  });

  it('gets another token if the first one expired', async () => {
    await addLink(`${base}/a.jpg`);
    await expect.poll(rows, SLOW).toEqual([['a.jpg', 'done', '']]);
    const [token] = await site.listTokens();
    await site.revokeToken(token!.id);
    await addLink(`${base}/b.jpg`);
    await expect.poll(rows, SLOW).toEqual([
      ['a.jpg', 'done', ''],
      ['b.jpg', 'done', ''],
    ]);
    expect(await site.listTokens()).toHaveLength(2);
  });

  it('fails with a message that says why', async () => {
    site.setTokenOptions({ allow_fetch: true, max_uses: 10, max_size: 1000, allowed_extensions: ['jpg'] });
    respond = (request, response) => (request.url === '/gone.jpg' ? response.writeHead(404).end() : response.end(BYTES));
    const failures = [
      [`${base}/gone.jpg`, 'No file could be opened at this link. Check that anyone can open it, or use another link.'],
      [`${base}/large.jpg`, 'This file is larger than 1 kB. Choose a smaller file.'],
      [`${base}/page.html`, 'This type of file is not accepted. Choose JPG.'],
      ['http://10.0.0.1/a.jpg', 'This link doesn’t lead to a public website. Use another link.'],
      ['http://127.0.0.1:9/a.jpg', 'This link doesn’t lead to a public website. Use another link.'],
    ];
    for (const [link, message] of failures) {
      await addLink(link!);
      await expect.poll(async () => (await rows()).at(-1)?.slice(1), SLOW).toEqual(['failed', message]);
      await page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.clear());
    }
    expect(await site.listFiles()).toEqual([]);
  });

  it('is not offered if the token does not allow it', async () => {
    site.setTokenOptions({ max_uses: 10 });
    await page.go(`${site.page}?sources=device+url&fetch-limits`);
    const state = () =>
      page.run(() => {
        const root = document.querySelector('svc-uploader')!.shadowRoot!;
        return [root.querySelector('.camera-input') !== null, root.querySelectorAll('[role=menuitem]').length];
      });
    await expect.poll(state, SLOW).toEqual([true, 0]);
  });
});
