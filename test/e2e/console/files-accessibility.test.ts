// The section Files for people with a screen reader, a keyboard, large text, right-to-left pages, forced colors and reduced motion.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../../src/protocol/types.js';
import { dropFiles, findAxeViolations } from '../chromium-page.js';
import { expectShown } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const dialog = (page: Page) => page.locator('console-dialog');
const hasNoSideScroll = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
const closeDialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

/** Deletes a file by a job that waits after 3 of 10 files. @param isCreated resolves when the service has created the job. @default at once */
async function deleteByJob({ isCreated }: { isCreated?: Promise<void> } = {}) {
  const user = await test.user();
  await test.put(user, 'a.txt');
  const watched = await test.open(user, '', { bypassCSP: true });
  const { page } = watched;
  await page.getByLabel('Select a.txt').check();
  const job = { id: 'job_1', state: 'running', total: 10, done: 3, failed: 0, failures: [], error: null };
  await page.route('**/v1/jobs**', async (route) => {
    if (route.request().url().endsWith('/cancel')) job.state = 'cancelled';
    else if (route.request().method() === 'POST') await isCreated;
    await route.fulfill({ json: { response: job } });
  });
  await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  return { ...watched, job };
}

describe('dialogs of files', () => {
  it('have no violation of axe', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    await test.put(user, 'folder/x.txt');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('a/b');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await closeDialog(page);
    await page.getByLabel('Select folder').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Move' }).click();
    await dialog(page).getByRole('button', { name: 'folder' }).waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await closeDialog(page);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('textbox').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
  });
});

describe('the dialog of a job', () => {
  it('shows the progress, and stops the job', async () => {
    const watched = await deleteByJob();
    const { page } = watched;
    await dialog(page).getByText('3 of 10 files').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. Files that were changed stay changed.').waitFor();
    await expect.poll(() => dialog(page).count()).toBe(0);
  });

  it('reports that the job was canceled elsewhere', async () => {
    const { page, job } = await deleteByJob();
    await dialog(page).getByText('3 of 10 files').waitFor();
    job.state = 'cancelled';
    await page.getByText('Stopped. Files that were changed stay changed.').waitFor();
    expect(await page.getByText('Deleted').count()).toBe(0);
  });

  it('stops a job that the service had not created yet', async () => {
    let create = (): void => {};
    const isCreated = new Promise<void>((resolve) => (create = resolve));
    const { page } = await deleteByJob({ isCreated });
    await dialog(page).getByRole('button', { name: 'Stop' }).click();
    create();
    await expectShown(page.getByText('Stopped. Files that were changed stay changed.'));
  });
});

describe('running jobs', () => {
  it('are shown after a reload, follow their progress, and can be stopped', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    const job = { id: 'job_1', type: 'copy', state: 'running', total: 10, done: 3, failed: 0, failures: [], error: null };
    await page.route('**/v1/jobs**', (route) => {
      if (route.request().url().endsWith('/cancel')) job.state = 'cancelled';
      return route.fulfill({ json: { response: { jobs: job.state === 'running' ? [job] : [] } } });
    });
    await page.reload();
    await page.getByText('Copying: 3 of 10 files').waitFor();
    job.done = 7;
    await page.getByText('Copying: 7 of 10 files').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByRole('button', { name: 'Stop: Copying' }).click();
    await page.getByText('Stopped. Files that were changed stay changed.').waitFor();
    await page.getByText('Copying').waitFor({ state: 'detached' });
  });

  it('have their button beside text and progress on a phone', async () => {
    const { page } = await test.open(await test.user(), '/nothing', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const long = { id: 'job_1', type: 'delete', state: 'running', total: 12_000, done: 3412, failed: 0 };
    const short = { ...long, id: 'job_2', type: 'copy', total: null, done: 0 };
    await page.route('**/v1/jobs?*', (route) => route.fulfill({ json: { response: { jobs: [long, short] } } }));
    await page.goto(`${test.service.url}/console/files`);
    const boxOf = async (locator: Locator) => (await locator.boundingBox())!;
    for (const name of ['Deleting', 'Copying']) {
      const stop = await boxOf(page.getByRole('button', { name: `Stop: ${name}` }));
      const bar = await boxOf(page.getByRole('progressbar', { name: new RegExp(name) }));
      const text = await boxOf(page.getByText(new RegExp(`^${name}: `)));
      expect(stop.x).toBeGreaterThanOrEqual(bar.x + bar.width);
      expect(stop.y).toBeLessThan(text.y + text.height);
    }
  });

  it('continue in the list after their dialog was closed', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user);
    await page.getByLabel('Select a.txt').check();
    const job = { id: 'job_1', type: 'delete', state: 'running', total: 10, done: 3, failed: 0, failures: [], error: null };
    await page.route('**/v1/jobs**', (route) => {
      const isList = route.request().url().includes('unfinished');
      return route.fulfill({ json: { response: isList ? { jobs: job.state === 'running' ? [job] : [] } : job } });
    });
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('3 of 10 files').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Deleting: 3 of 10 files').waitFor();
    job.state = 'done';
    await page.getByText('Deleted: 1').waitFor();
    await page.getByText('Deleting').waitFor({ state: 'detached' });
  });
});

describe('uploads of folders', () => {
  it('keep the tree of a dropped folder, also its empty folders', async () => {
    const user = await test.user();
    await test.put(user, 'in/x.txt');
    const folder = join(test.service.dataDir, 'dropped');
    await mkdir(join(folder, 'deep', 'nothing'), { recursive: true });
    await writeFile(join(folder, 'deep', 'one.txt'), 'one');
    await writeFile(join(folder, 'two.txt'), 'two');
    const watched = await test.open(user, '/files/in', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('row', { name: 'x.txt' }).waitFor();
    await dropFiles(page, page.getByRole('heading', { level: 1 }), [folder]);
    const paths = async (): Promise<string[]> => {
      const { response } = await user.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=100');
      return response.files.map(({ path }) => path);
    };
    await expect.poll(paths).toEqual(['in/dropped/deep/nothing/', 'in/dropped/deep/one.txt', 'in/dropped/two.txt', 'in/x.txt']);
    await page.getByRole('link', { name: 'dropped' }).waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
  });

  it('keep the tree of a chosen folder', async () => {
    const user = await test.user();
    const folder = join(test.service.dataDir, 'chosen');
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'deep', 'one.txt'), 'one');
    const { page } = await test.open(user);
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    await page.getByRole('button', { name: 'Upload' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Folder' }).click();
    await (await chooser).setFiles(folder);
    await page.getByRole('link', { name: 'chosen' }).waitFor();
    const { response } = await user.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=100');
    expect(response.files.map(({ path }) => path)).toEqual(['chosen/deep/one.txt']);
  });
});

describe('the section Files', () => {
  const fill = async () => {
    const user = await test.user();
    await test.put(user, `a-long-name-${'of-a-file-'.repeat(12)}.txt`, 'x', 'text/csv');
    await test.put(user, 'b.txt', 'hello', 'text/csv');
    await test.put(user, 'folder/x.txt');
    return user;
  };

  it.each(['list', 'grid'])('works at a zoom of 400 percent as a %s', async (view) => {
    const user = await fill();
    const { page } = await test.open(user, `/files?view=${view}`, { viewport: { width: 320, height: 256 } });
    await page.getByRole('button', { name: 'b.txt', exact: true }).scrollIntoViewIfNeeded();
    expect(await hasNoSideScroll(page)).toBe(true);
    await page.getByLabel('Select b.txt').check();
    await page.getByRole('toolbar').waitFor();
    expect(await hasNoSideScroll(page)).toBe(true);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('button', { name: 'b.txt', exact: true }).click();
    await dialog(page).getByText('hello').waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    await save.scrollIntoViewIfNeeded();
    expect(await page.locator('console-dialog dialog').evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    await save.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it.each(['list', 'grid'])('is mirrored as a %s on a right-to-left page', async (view) => {
    const user = await fill();
    const { page } = await test.open(user, `/files?view=${view}`);
    await page.getByRole('button', { name: 'b.txt', exact: true }).waitFor();
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    expect(await hasNoSideScroll(page)).toBe(true);
    const box = async (name: string) => (await page.getByLabel(`Select ${name}`).boundingBox())!.x;
    const folder = await box('folder');
    expect(folder).toBeGreaterThan((await page.getByRole('button', { name: 'Actions for folder' }).boundingBox())!.x);
    if (view === 'list') return;
    await page.getByRole('gridcell', { name: 'folder' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const last = page.getByRole('gridcell', { name: 'b.txt', exact: false }).last();
    await expect.poll(() => last.evaluate((tile) => tile.matches(':focus'))).toBe(true);
    expect((await last.boundingBox())!.x).toBeLessThan(folder);
  });

  it('marks selected tiles and the chosen view in forced colors', async () => {
    const user = await fill();
    const { page } = await test.open(user, '/files?view=grid', { forcedColors: 'active' });
    await page.getByLabel('Select b.txt').check();
    const tile = page.getByRole('gridcell', { selected: true });
    expect(await tile.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    const colorOf = (name: string) =>
      page.getByRole('button', { name, exact: true }).evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(await colorOf('Grid')).not.toBe(await colorOf('List'));
  });

  it('moves nothing if the person wants less motion', async () => {
    const user = await fill();
    const { page } = await test.open(user, '/files?view=grid', { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'b.txt', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});
