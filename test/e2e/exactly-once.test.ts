import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import type { SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { startFaultySite } from './faulty-site.js';
import type { FaultySite } from './faulty-site.js';
import { createFile } from './sample-files.js';
import type { SampleFile } from './sample-files.js';
import { BROWSERS, countSubmittedFiles } from './browser-page.js';
import type { BrowserPage, BrowserDriver } from './browser-page.js';

const MiB = 1024 ** 2;
const KiB = 1024;
let site: FaultySite;
let page: BrowserPage;
let folder: string;

beforeAll(async () => {
  [site, folder] = await Promise.all([startFaultySite(), mkdtemp(join(tmpdir(), 'svc-once-'))]);
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});
const rules: { remove(): void }[] = [];
const addFault: FaultySite['proxy']['on'] = (rule) => {
  const active = site.proxy.on(rule);
  rules.push(active);
  return active;
};

const isUpload = ({ method, path }: SeenRequest): boolean =>
  method !== 'GET' && method !== 'HEAD' && /^\/v1\/(files|uploads)/.test(path);
const choose = (files: SampleFile[]) => page.choose(files.map((file) => file.path));

/** Waits until the page has uploaded all files by itself. */
async function waitForFiles(count: number): Promise<void> {
  await expect.poll(() => countSubmittedFiles(page), { timeout: 60_000, interval: 200 }).toBe(count);
}

/** Checks that every chosen file is stored once with equal SHA-256, and that no other use was spent. */
async function expectExactlyOnce(files: SampleFile[]): Promise<void> {
  await waitForFiles(files.length);
  const stored = await site.listFiles();
  expect(stored.map((file) => `${file.sha256} ${file.size}`).toSorted()).toEqual(
    files.map((file) => `${file.sha256} ${file.size}`).toSorted(),
  );
  const tokens = await site.listTokens();
  expect(tokens.reduce((sum, token) => sum + token.uses, 0)).toBe(files.length);
}

/** Waits until a file waits for its next attempt and none is on its way. */
async function waitUntilWaiting(): Promise<void> {
  const statuses = () =>
    page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.uploads.map(({ state }) => state.status));
  await expect.poll(statuses, { timeout: 60_000, interval: 50 }).toContain('waiting');
  await expect.poll(statuses, { timeout: 60_000, interval: 50 }).not.toContain('uploading');
}

const createFiles = (count: number, size: (index: number) => number): Promise<SampleFile[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => createFile(join(folder, `set-${count}`), `file-${i}.bin`, size(i))));

describe.each(Object.entries(BROWSERS))('in %s, every chosen file is stored exactly once', (_name, open) => {
  let driver: BrowserDriver;
  beforeAll(async () => {
    driver = await open();
  });
  afterAll(() => driver?.close());
  beforeEach(async () => {
    site.startFolder();
    page = await driver.open(site.page);
  });
  afterEach(async () => {
    for (const rule of rules.splice(0)) rule.remove();
    site.proxy.online();
    await page.close();
  });

  it('when connections are cut at random offsets', async () => {
    const files = await createFiles(24, (i) => (i % 4 === 0 ? 2 * MiB : 40 * KiB) + i);
    const rule = addFault({
      when: isUpload,
      times: 8,
      fault: ({ headers }) => ({ cutRequestAt: Math.floor(Math.random() * Number(headers['content-length'])) }),
    });
    await choose(files);
    await expectExactlyOnce(files);
    expect(rule.hits).toBe(8);
  });

  it('when responses are lost after the service stored the files', async () => {
    const files = await createFiles(12, (i) => (i % 3 === 0 ? 600 * KiB : 3 * KiB) + i);
    const rule = addFault({ when: isUpload, times: 4, fault: { dropResponse: true } });
    await choose(files);
    await expectExactlyOnce(files);
    expect(rule.hits).toBe(4);
  });

  it.each([429, 503])('when the service responds %i with Retry-After', async (status) => {
    const files = await createFiles(6, (i) => 300 * KiB + i);
    const code = status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'INTERNAL_SERVER_ERROR';
    const response = { status, headers: { 'retry-after': '1' }, body: { code, message: 'Later.', details: { retry_after: 1 } } };
    const rule = addFault({ when: isUpload, times: 5, fault: { respond: response } });
    await choose(files);
    await expectExactlyOnce(files);
    expect(rule.hits).toBe(5);
  });

  it('when tokens are used up and revoked in the middle of 120 files', async () => {
    const files = await createFiles(120, (i) => 8 * KiB + i);
    site.setTokenOptions({ max_uses: 28 });
    // The service refuses the token in use after it is revoked half-way.
    let revoked = false;
    addFault({
      when: (seen) => isUpload(seen) && site.proxy.requests.length > 0,
      fault: () => ({ delay: 20 }),
    });
    const meanwhile = (async () => {
      for (;;) {
        const live = (await site.listTokens()).find(({ uses, max_uses }) => uses > 0 && uses < max_uses);
        if (live) {
          await site.revokeToken(live.id);
          revoked = true;
          return;
        }
      }
    })();
    await choose(files);
    await meanwhile;
    await expectExactlyOnce(files);
    expect(revoked).toBe(true);
    expect((await site.listTokens()).length).toBeGreaterThanOrEqual(5);
  });

  it('when tokens expire in the middle of 120 files', async () => {
    const files = await createFiles(120, (i) => (i % 2 === 0 ? 300 : 20) * KiB + i);
    site.setTokenOptions({ max_uses: 40, expires_in: 60 });
    addFault({ when: isUpload, fault: { delay: 20 } });
    const before = site.proxy.requests.length;
    await choose(files);
    for (const share of [16, 48]) {
      await expect.poll(async () => (await site.listFiles()).length, { timeout: 60_000, interval: 20 }).toBeGreaterThan(share);
      // The clock of the page stays, so the page still uses the expired token.
      site.expireTokens();
    }
    await expectExactlyOnce(files);
    const refused = site.proxy.requests.slice(before).filter(({ status }) => status === 401);
    expect(refused.length, 'requests refused by the service').toBeGreaterThan(0);
    expect((await site.listTokens()).length).toBeGreaterThanOrEqual(4);
  });

  it('when the connection is gone for a while', async () => {
    const files = await createFiles(20, (i) => 500 * KiB + i);
    addFault({ when: isUpload, fault: { bytesPerSecond: 3 * MiB } });
    await choose(files);
    await expect.poll(async () => (await site.listFiles()).length, { timeout: 20_000, interval: 50 }).toBeGreaterThan(2);
    site.proxy.offline();
    await waitUntilWaiting();
    expect((await site.listFiles()).length).toBeLessThan(20);
    site.proxy.online();
    await expectExactlyOnce(files);
  });

  it('when the browser itself is offline for a while', async () => {
    const files = await createFiles(20, (i) => 500 * KiB + i);
    addFault({ when: isUpload, fault: { bytesPerSecond: 3 * MiB } });
    await choose(files);
    await expect.poll(async () => (await site.listFiles()).length, { timeout: 20_000, interval: 50 }).toBeGreaterThan(2);
    await page.setOffline(true);
    site.proxy.offline();
    await waitUntilWaiting();
    site.proxy.online();
    await page.setOffline(false);
    await expectExactlyOnce(files);
  });

  it('when a big file is cut repeatedly, and no byte is sent twice', async () => {
    const big = await createFile(folder, 'big.bin', 40 * MiB);
    const before = site.proxy.requests.length;
    // A browser repeats a whole request by itself if a reused connection is reset, but not on a new connection.
    for (const method of ['OPTIONS', 'POST', 'PATCH'])
      addFault({ method, fault: { response: { headers: { connection: 'close' } } } });
    addFault({
      when: (seen) => isUpload(seen) && Number(seen.headers['content-length']) > MiB,
      times: 4,
      fault: { cutRequestAt: 7 * MiB },
    });
    await choose([big]);
    await expectExactlyOnce([big]);
    const sent = site.proxy.requests.slice(before).reduce((sum, seen) => sum + seen.requestBytes, 0);
    expect(sent).toBeGreaterThanOrEqual(big.size);
    expect(sent - big.size).toBeLessThan(4 * MiB);
  });

  it('when the page is reloaded during a big file, which is then chosen again', async () => {
    const big = await createFile(folder, 'reloaded.bin', 40 * MiB);
    const before = site.proxy.requests.length;
    const slow = addFault({ when: isUpload, fault: { bytesPerSecond: 12 * MiB } });
    await choose([big]);
    const sent = () => site.proxy.requests.slice(before).reduce((sum, seen) => sum + seen.requestBytes, 0);
    await expect.poll(sent, { timeout: 30_000, interval: 50 }).toBeGreaterThan(15 * MiB);
    await page.reload();
    slow.remove();
    await choose([big]);
    await expectExactlyOnce([big]);
    expect(sent() - big.size).toBeLessThan(2 * MiB);
  });
});
