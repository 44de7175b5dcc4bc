// The grid of thumbnails in the section Files, and downloads of a selection.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findAxeViolations } from '../chromium-page.js';
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
    await page.getByRole('link', { name: 'Files' }).click();
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
    await page.getByText('This no longer exists').waitFor();
  });
});
