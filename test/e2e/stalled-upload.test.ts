// Starts early: waits for a connection that stalls to time out.
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { startFaultySite } from './faulty-site.js';
import { createFile } from './sample-files.js';
import { BROWSERS, countSubmittedFiles } from './browser-page.js';
import type { BrowserPage } from './browser-page.js';

const MiB = 1024 ** 2;
const browsers = Object.entries(BROWSERS);

/** Reads the files that stalled and those that failed. */
const readEvents = (page: BrowserPage) =>
  page.run(() => ({
    stalled: (globalThis as unknown as { stalled: string[] }).stalled,
    failed: document
      .querySelector<SvcUploader>('svc-uploader')!
      .uploads.flatMap(({ name, state }) => (state.status === 'failed' ? `${name} ${state.error.code}` : [])),
  }));

// All browsers run side by side, because the element waits half a minute before it reports a stall.
it(`in ${Object.keys(BROWSERS).join(', ')}, a stalled connection is replaced, and a truncated file is reported`, async () => {
  const [site, folder, ...opened] = await Promise.all([
    startFaultySite(),
    mkdtemp(join(tmpdir(), 'svc-patience-')),
    ...browsers.map(([, open]) => open()),
  ]);
  site.startFolder();
  try {
    const visits = opened.map(async (driver, at) => {
      const [name] = browsers[at]!;
      const page = await driver.open(`${site.page}?manual`);
      await page.run(() => {
        const stalled: string[] = [];
        Object.assign(globalThis, { stalled });
        document.body.addEventListener('svc-upload-stall', ({ detail }) => stalled.push(detail.file!.name));
      });
      const [big, small, cut] = await Promise.all([
        // A smaller file would fit into the buffers of the system and count as sent.
        createFile(join(folder, name), 'big.bin', 30 * MiB + at),
        createFile(join(folder, name), 'small.bin', 300_000),
        createFile(join(folder, name), 'cut.bin', 300_001),
      ]);
      const stall = site.proxy.on({
        when: ({ method, headers }) => method === 'POST' && Number(headers['content-length']) === big.size,
        times: 1,
        fault: { stallRequestAt: 300_000 },
      });
      await page.choose([big, small, cut].map(({ path }) => path));
      await expect.poll(() => page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.uploads.length)).toBe(3);
      await writeFile(cut.path, 'cut short');
      // WebKit compares the time of the last change in seconds.
      await utimes(cut.path, new Date(), new Date(Date.now() + 5000));
      await page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.upload());
      await expect.poll(() => countSubmittedFiles(page), { timeout: 80_000, interval: 200, message: name }).toBe(2);
      await expect
        .poll(() => readEvents(page), { timeout: 80_000, interval: 200, message: name })
        .toEqual({ stalled: ['big.bin'], failed: [expect.stringMatching(/^cut.bin FILE_(CHANGED|UNREADABLE)$/)] });
      expect(stall.hits).toBe(1);
      await page.close();
      return [big, small];
    });
    const files = (await Promise.all(visits)).flat();
    expect((await site.listFiles()).map(({ sha256 }) => sha256).toSorted()).toEqual(files.map(({ sha256 }) => sha256).toSorted());
    expect(
      (await site.listTokens()).reduce((sum, { uses }) => sum + uses, 0),
      'uses',
    ).toBe(files.length);
  } finally {
    await Promise.allSettled(opened.map((driver) => driver.close()));
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
});
