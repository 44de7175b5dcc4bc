// Changes in the section Files: uploads, folders, names, deletion, details, previews.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../../src/protocol/types.js';
import type { SignedInUser } from '../../service/session-client.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { dropFiles, findAxeViolations } from '../chromium-page.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const pathsOf = async (user: SignedInUser): Promise<string[]> => {
  const { response } = await user.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=1000');
  return response.files.map(({ path }) => path);
};

const isFocused = (element: Locator): Promise<boolean> => element.evaluate((node) => node.matches(':focus'));

const rowOf = (page: Page, name: string) => page.getByRole('row', { name });

const chooseInMenu = async (page: Page, name: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
};

describe('uploads', () => {
  it('store chosen files under their own names, with tokens of the session', async () => {
    const user = await test.user();
    const { page, requests, consoleErrors } = await test.open(user, '/files/in');
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    await page.getByRole('button', { name: 'Upload' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Files' }).click();
    await (
      await chooser
    ).setFiles([
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('aaa') },
      { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('bb') },
    ]);
    await rowOf(page, 'a.txt').waitFor();
    await rowOf(page, 'b.txt').waitFor();
    await expect.poll(() => pathsOf(user)).toEqual(['in/a.txt', 'in/b.txt']);
    expect(requests.some((request) => request.endsWith('/v1/upload-tokens'))).toBe(true);
    expect(consoleErrors).toEqual([]);
  });

  it('say what to do about a full storage, and store the file with another attempt', async () => {
    const user = await test.user();
    const { page } = await test.open(user);
    const full = { code: 'STORAGE_FULL', message: 'The storage is full.', details: {} };
    await page.route('**/v1/files', (route) => route.fulfill({ status: 507, json: full }));
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Files' }).click();
    await (await chooser).setFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }]);
    const row = page.getByRole('region', { name: 'Uploads' }).getByRole('listitem');
    await row.getByText('The storage is full. Delete files, or ask an administrator for more space.').waitFor();
    expect(await page.getByText('owner of this site').count()).toBe(0);
    await page.unroute('**/v1/files');
    await page.getByRole('button', { name: 'Try a.txt again' }).click();
    await rowOf(page, 'a.txt').waitFor();
    expect(await pathsOf(user)).toEqual(['a.txt']);
  });

  it('take files that are dropped anywhere, and replace nothing', async () => {
    const user = await test.user();
    await test.put(user, 'dropped.txt', 'old');
    const file = join(test.service.dataDir, 'dropped.txt');
    await writeFile(file, 'new');
    const { page } = await test.open(user);
    await rowOf(page, 'dropped.txt').waitFor();
    await dropFiles(page, page.getByRole('heading', { name: 'Files' }), [file]);
    await expect.poll(async () => (await pathsOf(user)).length).toBe(2);
    expect(await pathsOf(user)).toContain('dropped.txt');
    await expect.poll(() => page.locator('tbody tr[data-index]').count()).toBe(2);
  });
});

describe('folders and files', () => {
  it('are created and renamed', async () => {
    const user = await test.user();
    await test.put(user, 'old/x.txt');
    await test.put(user, 'note.txt');
    const { page } = await test.open(user);
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('bad/name');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Enter a name without').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('made');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'made' }).waitFor();
    await chooseInMenu(page, 'note.txt', 'Rename');
    await page.keyboard.type('letter');
    await page.keyboard.press('Enter');
    await rowOf(page, 'letter.txt').waitFor();
    await chooseInMenu(page, 'old', 'Rename');
    await page.getByLabel('Name', { exact: true }).fill('new');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'new' }).waitFor();
    expect(await pathsOf(user)).toEqual(['letter.txt', 'made/', 'new/x.txt']);
  });

  it('are moved and copied into a chosen folder', async () => {
    const user = await test.user();
    for (const path of ['a.txt', 'b.txt', 'from/c.txt', 'to/z.txt']) await test.put(user, path);
    const { page } = await test.open(user);
    await page.getByLabel('Select a.txt').check();
    await page.getByLabel('Select from').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Move' }).click();
    await page.locator('console-dialog').getByRole('button', { name: 'to' }).click();
    await page.locator('console-dialog').getByText('No folders here.').waitFor();
    await page.locator('console-dialog').getByRole('button', { name: 'Move' }).click();
    await expect.poll(() => pathsOf(user)).toEqual(['b.txt', 'to/a.txt', 'to/from/c.txt', 'to/z.txt']);
    await rowOf(page, 'a.txt').waitFor({ state: 'detached' });
    await chooseInMenu(page, 'b.txt', 'Copy');
    await page.locator('console-dialog').getByRole('button', { name: 'to' }).click();
    await page.locator('console-dialog').getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => pathsOf(user)).toContain('to/b.txt');
    expect(await pathsOf(user)).toContain('b.txt');
  });

  it('are deleted by key and menu; a folder asks for its name', async () => {
    const user = await test.user();
    for (const path of ['a.txt', 'b.txt', 'folder/c.txt']) await test.put(user, path);
    const { page } = await test.open(user);
    await rowOf(page, 'a.txt').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.locator('console-dialog').getByRole('button', { name: 'Delete' }).click();
    await rowOf(page, 'a.txt').waitFor({ state: 'detached' });
    // The button that had the focus has left with the selection.
    await expect.poll(() => isFocused(page.getByRole('heading', { level: 1 }))).toBe(true);
    expect(await pathsOf(user)).toEqual(['folder/c.txt']);
    await chooseInMenu(page, 'folder', 'Delete');
    const confirm = page.locator('console-dialog').getByRole('button', { name: 'Delete' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.type('folder');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    expect(await pathsOf(user)).toEqual([]);
  });

  it('leave the focus in the list when the focused row is deleted', async () => {
    const user = await test.user();
    for (const path of ['a.txt', 'b.txt']) await test.put(user, path);
    const { page } = await test.open(user);
    await chooseInMenu(page, 'b.txt', 'Delete');
    await page.locator('console-dialog').getByRole('button', { name: 'Delete' }).click();
    await rowOf(page, 'b.txt').waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(rowOf(page, 'a.txt'))).toBe(true);
  });

  it('are all deleted at once, also those that are not loaded', async () => {
    const user = await test.user();
    for (let start = 0; start < 250; start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, n) => test.put(user, `many/${String(start + n).padStart(4, '0')}.txt`)));
    await test.put(user, 'other.txt');
    const { page } = await test.open(user, '/files/many');
    await rowOf(page, '0000.txt').waitFor();
    await page.getByLabel('Select all loaded rows').check();
    await page.getByText('200 selected').waitFor();
    await page.getByRole('button', { name: 'Select everything here and below' }).click();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type “many” to confirm.').fill('many');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    expect(await pathsOf(user)).toEqual(['other.txt']);
  });

  it('cannot be changed by a member who may only read', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    await test.put(workspace.owner, 'a.txt');
    const member = await workspace.member(['blob:read']);
    const { page } = await test.open(member, `/files?workspace=${workspace.id}`);
    await rowOf(page, 'a.txt').waitFor();
    expect(await page.getByRole('button', { name: 'Upload' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for a.txt' }).click();
    const reason = page.locator('console-menu').getByText('may read files, but not change them');
    expect(await reason.filter({ visible: true }).locator('visible=true').last().innerText()).toContain('blob:manage');
    await page.getByRole('menuitem', { name: 'Delete' }).click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('the details of a file', () => {
  it('show and change its fields, without a violation of axe', async () => {
    const user = await test.user();
    const { id } = await test.put(user, 'a.txt', 'hello', 'text/csv');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('button', { name: 'a.txt', exact: true }).click();
    await page.getByText('hello').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByLabel('Visibility').selectOption('public');
    await page.getByLabel('Metadata').fill('Wrong');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Each line of the metadata').waitFor();
    expect(await page.getByLabel('Metadata').evaluate((field) => field.matches(':focus'))).toBe(true);
    await page.getByLabel('Metadata').fill('author: Ana\nteam: one: two');
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Public').waitFor();
    const { response } = await user.call<FileRecord>('GET', `/v1/files/${id}`);
    expect(response).toMatchObject({ visibility: 'public', metadata: { author: 'Ana', team: 'one: two' } });
  });

  it.each([
    ['attack.html', 'text/html', '<script>top.attacked = true</script><img src=x onerror="top.attacked = true">'],
    [
      'attack.svg',
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="top.attacked = true"><script>top.attacked = true</script></svg>',
    ],
    ['attack.js', 'text/javascript', 'globalThis.attacked = true'],
  ])('show %s as text that never runs', async (name, type, content) => {
    const user = await test.user();
    await test.put(user, name, content, type);
    const { page, consoleErrors } = await test.open(user);
    await page.getByRole('button', { name, exact: true }).click();
    await page.locator('pre.preview').getByText(content).waitFor();
    expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
    expect(await page.frames()).toHaveLength(1);
    expect(consoleErrors).toEqual([]);
  });

  it('close with Escape and return the focus to the row', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user);
    await rowOf(page, 'a.txt').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'a.txt' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await rowOf(page, 'a.txt').evaluate((row) => row.matches(':focus'))).toBe(true);
  });
});
