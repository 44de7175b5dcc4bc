// The section Files with slow and failing responses, impatient clicks and unusual names.
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const rowOf = (page: Page, name: string) => page.getByRole('row', { name });
const refresh = (page: Page) => page.getByRole('button', { name: 'Refresh' }).click();

/** Holds requests for lists back. @returns a function that waits for the first one, and one that lets them continue */
async function holdLists(page: Page): Promise<{ held: () => Promise<void>; release: () => Promise<void> }> {
  const routes: Route[] = [];
  const hold = (route: Route) => void routes.push(route);
  await page.route('**/v1/files?*', hold);
  return {
    held: () => expect.poll(() => routes.length).toBeGreaterThan(0),
    release: async () => {
      await page.unroute('**/v1/files?*', hold);
      await Promise.all(routes.map((route) => route.continue().catch(() => {})));
    },
  };
}

describe('the list of files', () => {
  it('shows the opened folder if the refresh of the last one has not ended', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    await test.put(user, 'folder/inside.txt');
    const { page } = await test.open(user);
    await rowOf(page, 'a.txt').waitFor();
    const { held, release } = await holdLists(page);
    await refresh(page);
    await held();
    await page.getByRole('link', { name: 'folder' }).click();
    await page.getByRole('heading', { name: 'folder', level: 1 }).waitFor();
    await release();
    await rowOf(page, 'inside.txt').waitFor();
    expect(await rowOf(page, 'a.txt').count()).toBe(0);
    await page.goBack();
    await rowOf(page, 'a.txt').waitFor();
  });

  it('keeps the list, and reports the error, if a refresh fails', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user);
    await rowOf(page, 'a.txt').waitFor();
    await page.route('**/v1/files?*', (route) => route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } }));
    await refresh(page);
    await page.getByText('The service failed').waitFor();
    expect(await rowOf(page, 'a.txt').count()).toBe(1);
  });

  it('shows the last folder of fast Back and Forward', async () => {
    const user = await test.user();
    await test.put(user, 'a/b/c/deep.txt');
    await test.put(user, 'top.txt');
    const { page } = await test.open(user);
    for (const name of ['a', 'b', 'c']) await page.getByRole('link', { name, exact: true }).click();
    await rowOf(page, 'deep.txt').waitFor();
    const { held, release } = await holdLists(page);
    await page.goBack();
    await page.goBack();
    await page.goForward();
    await page.goBack();
    await page.goBack();
    await held();
    await release();
    await rowOf(page, 'top.txt').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Files');
  });

  it('forgets the selection in another folder', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    await test.put(user, 'folder/b.txt');
    const { page } = await test.open(user);
    await page.getByLabel('Select a.txt').check();
    await page.getByRole('link', { name: 'folder' }).click();
    await rowOf(page, 'b.txt').waitFor();
    expect(await page.getByRole('toolbar').count()).toBe(0);
    await page.goBack();
    await rowOf(page, 'a.txt').waitFor();
    expect(await page.getByRole('toolbar').count()).toBe(0);
  });

  it('opens one dialog for a double click', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user);
    await page.getByRole('button', { name: 'a.txt', exact: true }).dispatchEvent('click');
    await page.getByRole('button', { name: 'a.txt', exact: true }).dispatchEvent('click');
    await page.getByRole('dialog', { name: 'a.txt' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('console-dialog').count()).toBe(0);
  });
});

describe('Back and Forward', () => {
  it('close and open the details of a file, which stand in the address', async () => {
    const user = await test.user();
    await test.put(user, 'folder/a.txt');
    const { page } = await test.open(user);
    const details = page.getByRole('dialog', { name: 'a.txt' });
    await page.getByRole('link', { name: 'folder' }).click();
    const openFile = page.getByRole('button', { name: 'a.txt', exact: true });
    // A double click makes one entry of the history.
    await openFile.dispatchEvent('click');
    await openFile.dispatchEvent('click');
    await details.waitFor();
    await page.reload();
    await details.waitFor();
    await page.goBack();
    await details.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/console/files/folder');
    await page.goForward();
    await details.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await openFile.click();
    await details.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/files');
  });

  it('close a dialog and a menu of the page that they leave', async () => {
    const user = await test.user();
    await test.put(user, 'folder/a.txt');
    const { page } = await test.open(user);
    await page.getByRole('link', { name: 'folder' }).click();
    await rowOf(page, 'a.txt').waitFor();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('dialog', { name: 'New folder' }).waitFor();
    await page.goBack();
    await rowOf(page, 'folder').waitFor();
    await expect.poll(() => page.locator('console-dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for folder' }).click();
    await page.getByRole('menu').waitFor();
    await page.goForward();
    await rowOf(page, 'a.txt').waitFor();
    await expect.poll(() => page.locator('console-menu').count()).toBe(0);
  });

  it('report a file of the address that no longer exists', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user, '/files?file=file_unknown');
    await page.getByText('This no longer exists').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await rowOf(page, 'a.txt').waitFor();
  });
});

describe('unusual names', () => {
  const NAMES = [
    '<img src=x onerror=alert(1)>',
    '\u0627\u0644\u0639\u0631\u0628\u064a\u0629.txt',
    'e\u0301 100% #?&+.txt',
    'x'.repeat(200),
  ];

  it('are shown as they are, and files with them open', async () => {
    const user = await test.user();
    for (const name of NAMES) await test.put(user, `${name}/${name}`, 'hello', 'text/csv');
    const { page, consoleErrors } = await test.open(user);
    for (const name of NAMES) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('pre.preview').getByText('hello').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      // Closing the details goes back once. Another step would replace one that has not ended.
      await expect.poll(() => new URL(page.url()).search).toBe('');
      await page.goBack();
    }
    expect(consoleErrors).toEqual([]);
  });
});
