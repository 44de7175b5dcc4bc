import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { createKeyPair, SOON } from './admin-page.js';
import { BROWSERS } from './browser-page.js';
import type { BrowserPage, BrowserDriver } from './browser-page.js';
import { useProduct } from './product.js';
import type { Product } from './product.js';

const MiB = 1024 ** 2;
const PART = 8 * MiB;
const LONG_AGO = 1e9;

let product: Product;
let folder: string;

beforeAll(async () => {
  [product, folder] = await Promise.all([useProduct(), mkdtemp(join(tmpdir(), 'svc-files-'))]);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

// Browsers differ in their treatment of a file that changed after it was chosen.
describe.each(Object.entries(BROWSERS))('in %s, a large file of the disk', (name, open) => {
  let driver: BrowserDriver;
  let proxy: FaultProxy;
  let page: BrowserPage;
  let path: string;
  let prefix: string;
  beforeAll(async () => {
    driver = await open();
  });
  afterAll(() => driver?.close());
  beforeEach(async () => {
    proxy = await startFaultProxy(`http://127.0.0.1:${product.ports[1]}`);
    prefix = `${name}-${randomUUID()}`;
    path = join(folder, `${prefix}.bin`);
    await writeFile(path, Buffer.alloc(4 * PART, 'before'));
    // Some browsers compare only the date, in seconds.
    await utimes(path, LONG_AGO, LONG_AGO);
    page = await driver.open(`${product.demo}/admin`);
    const { access_key_id, secret_access_key } = await createKeyPair(product);
    await page.click('#location label:has([value=other])');
    const fields = { endpoint: proxy.url, bucket: 'main', prefix, 'key-id': access_key_id, secret: secret_access_key };
    for (const [field, value] of Object.entries(fields)) await page.type(`#location [name=${field}]`, value);
    await page.click('#connect');
    await expect
      .poll(() => page.run(() => document.querySelector('#connection-state')!.textContent), SOON)
      .toBe(`Connected to main/${prefix}/`);
    await page.click('#pick-mode label:has([value=files])');
  });
  afterEach(async () => {
    await page.close();
    await proxy.close();
  });

  /** Uploads the file and changes it when two of four parts are stored. @returns the text of the failures */
  async function uploadAndChange(change: () => Promise<void>): Promise<string> {
    const stall = proxy.on({ method: 'PUT', path: /partNumber=[34]&/, fault: { stallRequestAt: 1000 } });
    await page.choose([path], '#uploader');
    const isPart = (seen: SeenRequest) => seen.method === 'PUT' && seen.path.includes('partNumber=');
    const there = () => proxy.requests.filter((seen) => isPart(seen) && seen.status === 200);
    await expect.poll(() => there().length, SOON).toBe(2);
    await change();
    stall.remove();
    // Stalled parts start again.
    await page.run(() => {
      const uploader = document.querySelector('svc-uploader')!;
      uploader.pause();
      uploader.resume();
    });
    const failures = () => page.run(() => document.querySelector('#failures-list')!.textContent);
    const isOver = () => page.run(() => document.querySelector('svc-uploader')!.matches(':state(complete), :state(error)'));
    await expect.poll(isOver, SOON).toBe(true);
    if (await page.run(() => document.querySelector('svc-uploader')!.matches(':state(error)')))
      await expect.poll(failures, SOON).not.toBe('');
    return (await failures())!;
  }

  it('that is rewritten during its upload is reported, and no mixture is stored', async () => {
    const after = Buffer.alloc(4 * PART, 'after ');
    const failureText = await uploadAndChange(() => writeFile(path, after));
    const stored = (await product.listFiles(`${prefix}/`)).filter(({ size }) => size === after.length);
    // Firefox may have sent the new content from the start.
    if (failureText === '')
      expect(after.equals(Buffer.from(await (await product.readContent(stored[0]!.id)).arrayBuffer()))).toBe(true);
    else expect([failureText, stored]).toEqual([expect.stringMatching(/FileChanged|was moved, deleted or changed/), []]);
  });

  it('and small files that grew or shrank before their turn are reported and not stored', async () => {
    const small = ['grown', 'shrunk'].map((one) => join(folder, `${one}-${name}.txt`));
    for (const one of small) {
      await writeFile(one, 'before');
      await utimes(one, LONG_AGO, LONG_AGO);
    }
    await page.run(() => (document.querySelector('svc-uploader')!.manual = true));
    await page.choose(small, '#uploader');
    await expect.poll(() => page.run(() => document.querySelector('svc-uploader')!.uploads.length), SOON).toBe(2);
    await writeFile(small[0]!, 'after that');
    await writeFile(small[1]!, 'now');
    await page.run(() => document.querySelector('svc-uploader')!.upload());
    const failures = () =>
      page.run(() => [...document.querySelectorAll('#failures-list > li')].map((one) => one.textContent).join());
    await expect.poll(failures, SOON).toMatch(/grown.*shrunk|shrunk.*grown/s);
    expect(await failures()).not.toContain('UnexpectedAnswer');
    expect(await product.listFiles(`${prefix}/`)).toEqual([]);
  });

  it('that is deleted during its upload is reported soon', async () => {
    expect(await uploadAndChange(() => rm(path))).toMatch(/SourceUnreadable.*Choose the file again|FileChanged/);
  });
});
