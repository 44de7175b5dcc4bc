import { appendFile, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { startFaultySite } from './faulty-site.js';
import type { FaultySite } from './faulty-site.js';
import { createFile } from './sample-files.js';
import type { SampleFile } from './sample-files.js';
import { BROWSERS, countSubmittedFiles } from './browser-page.js';
import type { BrowserPage, BrowserDriver } from './browser-page.js';

const MiB = 1024 ** 2;
let site: FaultySite;
let page: BrowserPage;
let folder: string;

beforeAll(async () => {
  [site, folder] = await Promise.all([startFaultySite(), mkdtemp(join(tmpdir(), 'svc-changed-'))]);
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

const start = () => page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.upload());
/** Reads the name of every file with its state or error code. */
const states = () =>
  page.run(() =>
    document
      .querySelector<SvcUploader>('svc-uploader')!
      .uploads.map(({ name, state }) => `${name} ${state.status === 'failed' ? state.error.code : state.status}`),
  );
const messages = () =>
  page.run(() =>
    [...document.querySelector('svc-uploader')!.shadowRoot!.querySelectorAll('[part~=error]')].map((one) =>
      one.textContent!.trim(),
    ),
  );
const stored = async () => (await site.listFiles()).map(({ sha256 }) => sha256);
const DATE = new Date('2026-01-01T12:00:00Z');

/** Creates a file of random bytes with a fixed date. */
async function createDatedFile(name: string, size: number): Promise<SampleFile> {
  const file = await createFile(folder, name, size);
  await utimes(file.path, DATE, DATE);
  return file;
}

describe.each(Object.entries(BROWSERS))('in %s,', (engine, open) => {
  let driver: BrowserDriver;
  beforeAll(async () => void (driver = await open()));
  afterAll(() => driver?.close());
  beforeEach(() => void site.startFolder());
  afterEach(() => page.close());

  it('a different file of the same name, size and date is stored exactly after a reload', async () => {
    page = await driver.open(site.page);
    const begun = await createDatedFile('same.bin', 32 * MiB);
    const stall = site.proxy.on({ method: 'POST', path: '/v1/uploads', fault: { stallRequestAt: 24 * MiB }, times: 1 });
    await page.choose([begun.path]);
    const arrived = () => site.proxy.requests.some(({ requestBytes }) => requestBytes >= 24 * MiB);
    await expect.poll(arrived, { timeout: 60_000 }).toBe(true);
    await page.reload();
    stall.remove();
    const other = await createDatedFile('same.bin', 32 * MiB);
    expect(other.sha256).not.toBe(begun.sha256);
    await page.choose([other.path]);
    await expect.poll(() => countSubmittedFiles(page), { timeout: 60_000 }).toBe(1);
    expect(await states()).toEqual(['same.bin done']);
    expect(await stored()).toEqual([other.sha256]);
  });

  it('the same file continues after a reload with the missing bytes', async () => {
    page = await driver.open(site.page);
    const file = await createDatedFile('again.bin', 32 * MiB);
    const before = site.proxy.requests.length;
    const stall = site.proxy.on({ method: 'POST', path: '/v1/uploads', fault: { stallRequestAt: 24 * MiB }, times: 1 });
    await page.choose([file.path]);
    const traffic = () => site.proxy.requests.slice(before).reduce((sum, { requestBytes }) => sum + requestBytes, 0);
    await expect.poll(traffic, { timeout: 60_000 }).toBeGreaterThanOrEqual(24 * MiB);
    await page.reload();
    stall.remove();
    await page.choose([file.path]);
    await expect.poll(() => countSubmittedFiles(page), { timeout: 60_000 }).toBe(1);
    expect(await stored()).toEqual([file.sha256]);
    expect(traffic(), 'bytes sent in all').toBeLessThan((32 + 9) * MiB);
  });

  it.each([
    ['together with others', 3000],
    ['by itself', 300_000],
    ['resumably', 20 * MiB],
  ])('a file that grew since it was chosen must be chosen again, and the others arrive, sent %s', async (_way, size) => {
    page = await driver.open(`${site.page}?manual`);
    const [a, grown, b] = await Promise.all(['a.bin', 'grown.bin', 'b.bin'].map((name) => createDatedFile(name, size)));
    await page.choose([a, grown, b].map((file) => file!.path));
    await expect.poll(states).toHaveLength(3);
    await appendFile(grown!.path, 'GET / HTTP/1.1\r\n\r\n'.repeat(300));
    await start();
    // WebKit cannot read a changed file.
    const code = engine === 'WebKit' ? 'FILE_UNREADABLE' : 'FILE_CHANGED';
    await expect.poll(states, { timeout: 60_000 }).toEqual(['a.bin done', `grown.bin ${code}`, 'b.bin done']);
    await expect.poll(async () => (await messages()).filter(Boolean)).toEqual([expect.stringMatching(/Choose it again\.$/)]);
    expect((await stored()).filter((hash) => hash === a!.sha256 || hash === b!.sha256)).toHaveLength(2);
    const now = await createDatedFile('grown.bin', size + 1);
    await page.choose([now.path]);
    await start();
    await expect.poll(() => countSubmittedFiles(page), { timeout: 60_000 }).toBe(3);
    expect(await stored()).toContain(now.sha256);
  });

  it('a file that was rewritten during a pause is not joined with the bytes that were sent', async () => {
    page = await driver.open(site.page);
    const file = await createDatedFile('anew.bin', 32 * MiB);
    const stall = site.proxy.on({ method: 'POST', path: '/v1/uploads', fault: { stallRequestAt: 24 * MiB }, times: 1 });
    const before = site.proxy.requests.length;
    await page.choose([file.path]);
    const arrived = () => site.proxy.requests.slice(before).some(({ requestBytes }) => requestBytes >= 24 * MiB);
    await expect.poll(arrived, { timeout: 60_000 }).toBe(true);
    await page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.pause());
    stall.remove();
    await writeFile(file.path, randomBytes(32 * MiB));
    await page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.resume());
    const code = engine === 'WebKit' ? 'FILE_UNREADABLE' : 'FILE_CHANGED';
    await expect.poll(states, { timeout: 60_000 }).toEqual([`anew.bin ${code}`]);
    expect(await stored()).toEqual([]);
  });
});
