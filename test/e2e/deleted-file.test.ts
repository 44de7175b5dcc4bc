import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SvcUploader } from '../../src/element/svc-uploader.js';
import { startFaultySite } from './faulty-site.js';
import type { FaultySite } from './faulty-site.js';
import { createFile } from './sample-files.js';
import { BROWSERS, countSubmittedFiles } from './browser-page.js';
import type { BrowserPage, BrowserDriver } from './browser-page.js';

let site: FaultySite;
let page: BrowserPage;
let folder: string;

beforeAll(async () => {
  [site, folder] = await Promise.all([startFaultySite(), mkdtemp(join(tmpdir(), 'svc-disk-'))]);
});
afterAll(async () => {
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

const start = () => page.run(() => document.querySelector<SvcUploader>('svc-uploader')!.upload());

/** Reads the name of every file, its state or error code, and the message in its row. */
const rows = () =>
  page.run(() => {
    const el = document.querySelector<SvcUploader>('svc-uploader')!;
    const messages = [...el.shadowRoot!.querySelectorAll('[part=file]')].map(
      (row) => row.querySelector('[part~=error]')?.textContent?.trim() ?? '',
    );
    return el.uploads.map(({ name, state }, at) => [
      name,
      state.status === 'failed' ? state.error.code : state.status,
      messages[at]!,
    ]);
  });

describe.each(Object.entries(BROWSERS))('in %s, a file of the disk', (_name, open) => {
  let driver: BrowserDriver;
  beforeAll(async () => {
    driver = await open();
  });
  afterAll(() => driver?.close());
  beforeEach(async () => {
    site.startFolder();
    page = await driver.open(`${site.page}?manual`);
  });
  afterEach(() => page.close());

  it.each([
    ['together with others', 2000],
    ['by itself', 300_000],
  ])('that was deleted before its upload, %s, must be chosen again; the other files arrive', async (_way, size) => {
    const make = (name: string) => createFile(folder, name, size);
    const [a, deleted, b] = await Promise.all(['a.bin', 'gone.bin', 'b.bin'].map(make));
    await page.choose([a, deleted, b].map((file) => file!.path));
    await expect.poll(rows).toHaveLength(3);
    await rm(deleted!.path);
    await start();
    await expect.poll(rows, { timeout: 50_000, interval: 100 }).toEqual([
      ['a.bin', 'done', ''],
      ['gone.bin', 'FILE_UNREADABLE', 'This file can no longer be read. Choose it again.'],
      ['b.bin', 'done', ''],
    ]);
    expect((await site.listFiles()).map(({ sha256 }) => sha256).toSorted()).toEqual([a!.sha256, b!.sha256].toSorted());
    const again = () => document.querySelector('svc-uploader')!.shadowRoot!.querySelectorAll('[part=retry-button]').length;
    expect(await page.run(again), 'no retry button, because a retry would fail again').toBe(0);
    // The file that is chosen again replaces the failed one.
    await page.choose([(await make('gone.bin')).path]);
    await start();
    await expect.poll(() => countSubmittedFiles(page), { timeout: 50_000 }).toBe(3);
    expect((await rows()).map(([name, state]) => `${name} ${state}`).toSorted()).toEqual([
      'a.bin done',
      'b.bin done',
      'gone.bin done',
    ]);
    expect(await site.listFiles()).toHaveLength(3);
  });
});
