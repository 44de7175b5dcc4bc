// The grid of thumbnails in the section Files, and downloads of a selection.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findAxeViolations } from '../chromium-page.js';
import { expectShown } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const picture = async (): Promise<Buffer<ArrayBuffer>> =>
  Buffer.from(
    await sharp({ create: { width: 900, height: 600, channels: 3, background: '#3366cc' } })
      .png()
      .toBuffer(),
  );
const tileOf = (page: Page, name: string) => page.getByRole('gridcell', { name });
const isFocused = (page: Page, name: string) => tileOf(page, name).evaluate((tile) => tile.matches(':focus'));

describe('the grid of files', () => {
  it('shows thumbnails or icons, is remembered, and has no violation of axe', async () => {
    const user = await test.user();
    await test.put(user, 'folder/x.txt');
    await test.put(user, 'a.png', await picture(), 'image/png');
    await test.put(user, 'broken.png', 'no picture', 'image/png');
    await test.put(user, 'c.txt', 'text', 'text/csv');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page, requests } = watched;
    await page.getByRole('button', { name: 'Grid' }).click();
    const thumbnail = tileOf(page, 'a.png').locator('img');
    await expect.poll(() => thumbnail.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(320);
    await expect.poll(() => tileOf(page, 'broken.png').locator('img').isHidden()).toBe(true);
    expect(await tileOf(page, 'c.txt').locator('img').count()).toBe(0);
    expect(requests.some((request) => request.includes('/content?w=320&h=320'))).toBe(true);
    expect(new URL(page.url()).search).toBe('?view=grid');
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByRole('link', { name: 'folder' }).click();
    await tileOf(page, 'x.txt').waitFor();
    await page.goto(`${test.service.url}/console/files`);
    await tileOf(page, 'a.png').waitFor();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.getByRole('row', { name: 'a.png' }).waitFor();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Size' }).waitFor();
  });

  it('has the keys and the selection of the list, and an order', async () => {
    const user = await test.user();
    for (let n = 0; n < 20; n++) await test.put(user, `f${String(n).padStart(2, '0')}.txt`, 'x'.repeat(n + 1));
    const { page } = await test.open(user, '/files?view=grid');
    await tileOf(page, 'f00.txt').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => isFocused(page, 'f01.txt')).toBe(true);
    const perLine = Number(await page.getByRole('grid').getAttribute('aria-colcount'));
    expect(perLine).toBeGreaterThan(3);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => isFocused(page, `f${String(1 + perLine).padStart(2, '0')}.txt`)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => isFocused(page, 'f01.txt')).toBe(true);
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'f02.txt' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await isFocused(page, 'f02.txt')).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => isFocused(page, 'f19.txt')).toBe(true);
    await page.getByLabel('Select all loaded').check();
    await page.getByText('20 selected').waitFor();
    await page.getByLabel('Sort by').selectOption('size');
    await page.getByRole('button', { name: 'Ascending' }).click();
    await expect.poll(() => page.getByRole('gridcell').first().innerText()).toContain('f19.txt');
  });

  it('keeps the focus that a key moved before the closed details were reported', async () => {
    const user = await test.user();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await test.put(user, name);
    const { page } = await test.open(user, '/files?view=grid');
    await tileOf(page, 'a.txt').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'a.txt' }).waitFor();
    await page.evaluate(async () => {
      const element = document.querySelector('console-dialog')!;
      element.shadowRoot!.querySelector('dialog')!.close();
      // Closing has returned the focus, and its event follows later.
      let tile = document.activeElement!;
      while (tile.shadowRoot?.activeElement) tile = tile.shadowRoot.activeElement;
      tile.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
      await new Promise((resolve) => element.addEventListener('close', resolve));
    });
    await page.locator('console-dialog').waitFor({ state: 'detached' });
    expect(await isFocused(page, 'c.txt')).toBe(true);
  });

  it('has its order beside the choice of all tiles on a phone', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user, '/files?view=grid', { viewport: { width: 390, height: 844 } });
    const middle = async (label: string): Promise<number> => {
      const { y, height } = (await page.getByLabel(label).boundingBox())!;
      return y + height / 2;
    };
    await tileOf(page, 'a.txt').waitFor();
    expect(Math.abs((await middle('Sort by')) - (await middle('Select all loaded')))).toBeLessThan(3);
  });

  it('renders only tiles near the window of 10,000 pictures', async () => {
    const user = await test.user();
    const PAGE = 2000;
    const file = await test.put(user, 'a.png', await picture(), 'image/png');
    const { page, requests } = await test.open(user, '/profile');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route('**/v1/files?*', (route) => {
      const params = new URL(route.request().url()).searchParams;
      const start = Number(params.get('cursor') ?? 0);
      const files = Array.from({ length: PAGE }, (_, n) => {
        const name = `p${String(start + n).padStart(5, '0')}.png`;
        return { ...file, id: `file_${start + n}`, name, path: name };
      });
      const response = params.has('only')
        ? { files: [], prefixes: [], cursor: null }
        : { files, prefixes: [], cursor: start + PAGE < 10_000 ? String(start + PAGE) : null };
      return route.fulfill({ json: { response } });
    });
    await page.route('**/content?*', (route) => route.fulfill({ status: 404, json: {} }));
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByRole('button', { name: 'Grid' }).click();
    await tileOf(page, 'p00000.png').waitFor();
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        return tileOf(page, 'p09999.png').count();
      })
      .toBe(1);
    expect(await page.getByRole('gridcell').count()).toBeLessThan(120);
    // Tiles that fly past load no pictures.
    expect(requests.filter((request) => request.includes('/content?')).length).toBeLessThan(1000);
    await page.getByRole('gridcell').last().focus();
    await page.keyboard.press('Home');
    await expect.poll(() => isFocused(page, 'p00000.png')).toBe(true);
  });

  it('reuses the elements of tiles that leave, and keeps the focus and the picture of one that stays', async () => {
    const user = await test.user();
    for (let n = 0; n < 300; n++) await test.put(user, `f${String(n).padStart(3, '0')}.txt`);
    const { page } = await test.open(user, '/files?view=grid');
    const tile = (n: number) => tileOf(page, `f${String(n).padStart(3, '0')}.txt`);
    await tile(0).waitFor();
    const perLine = Number(await page.getByRole('grid').getAttribute('aria-colcount'));
    const kept = 4 * perLine;
    await tile(kept).focus();
    const first = await tile(0).elementHandle();
    await page.evaluate(() => scrollBy(0, 1100));
    await tile(0).waitFor({ state: 'detached' });
    expect(await first!.evaluate((element) => element.isConnected)).toBe(true);
    expect(await first!.innerText()).not.toContain('f000');
    expect(await isFocused(page, `f${String(kept).padStart(3, '0')}.txt`)).toBe(true);
    const indexes = () =>
      page
        .getByRole('gridcell')
        .evaluateAll((tiles) => tiles.map((element) => Number((element as HTMLElement).dataset['index'])));
    const down = await indexes();
    expect(down).toEqual(down.map((_, n) => down[0]! + n));
    await page.evaluate(() => scrollTo(0, 0));
    await tile(0).waitFor();
    await expect.poll(async () => (await indexes()).slice(0, 3)).toEqual([0, 1, 2]);
    expect(await isFocused(page, `f${String(kept).padStart(3, '0')}.txt`)).toBe(true);
  });
});

describe('the thumbnails of videos and PDFs', () => {
  /** Counts requests for thumbnails of a page whose service makes pictures of videos, but not of PDFs. */
  async function openGrid(names: readonly [name: string, type: string][]) {
    const user = await test.user();
    const image = await picture();
    for (const [name, type] of names) await test.put(user, name, 'x', type);
    const { page } = await test.open(user, '/profile');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const asked = { videos: new Set<string>(), pdfs: 0 };
    const ids = new Map<string, string>();
    for (const file of (await user.call<{ files: { id: string; content_type: string }[] }>('GET', '/v1/files')).response.files)
      ids.set(file.id, file.content_type);
    await page.route('**/content?*', (route) => {
      const id = new URL(route.request().url()).pathname.split('/').at(-2)!;
      if (ids.get(id) === 'application/pdf') {
        asked.pdfs++;
        return route.fulfill({ status: 415, json: { code: 'IMAGE_TYPE_UNSUPPORTED' } });
      }
      asked.videos.add(`${route.request().method()} ${id}`);
      return route.fulfill({ contentType: 'image/png', body: image });
    });
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByRole('button', { name: 'Grid' }).click();
    return { page, asked };
  }

  it('appear if the service makes them, and are not asked for again after a 415', async () => {
    const videos = Array.from({ length: 5 }, (_, n) => [`v${n}.mp4`, 'video/mp4'] as [string, string]);
    const pdfs = Array.from({ length: 8 }, (_, n) => [`p${n}.pdf`, 'application/pdf'] as [string, string]);
    const { page, asked } = await openGrid([...videos, ...pdfs]);
    for (const [name] of videos) await tileOf(page, name).locator('img').waitFor();
    expect([...asked.videos].filter((request) => request.startsWith('HEAD'))).toHaveLength(5);
    // At most two are asked for at once, and the first answer counts for all.
    await expect.poll(() => asked.pdfs).toBeGreaterThan(0);
    expect(asked.pdfs).toBeLessThanOrEqual(2);
    expect(await tileOf(page, 'p0.pdf').locator('img').count()).toBe(0);
    const before = asked.pdfs;
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await tileOf(page, 'v0.mp4').locator('img').waitFor();
    expect(asked.pdfs).toBe(before);
  });
});

describe('the download of a selection', () => {
  it('is one archive of several files and folders', async () => {
    const user = await test.user();
    for (const path of ['a.txt', 'b.txt', 'folder/c.txt']) await test.put(user, path, `content of ${path}`);
    const { page } = await test.open(user);
    for (const name of ['a.txt', 'folder']) await page.getByLabel(`Select ${name}`).check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('toolbar').getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('files.zip');
    const archive = (await readFile(await download.path())).toString('latin1');
    for (const part of ['a.txt', 'content of a.txt', 'folder/c.txt', 'content of folder/c.txt']) expect(archive).toContain(part);
    expect(archive).not.toContain('b.txt');
  });

  it('reports a folder that has no files', async () => {
    const user = await test.user();
    await user.call('POST', '/v1/folders', { body: { path: 'empty' } });
    const { page } = await test.open(user);
    await page.getByLabel('Select empty').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Download' }).click();
    await expectShown(page.getByText('This no longer exists'));
  });
});
