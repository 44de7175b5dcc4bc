// The section Files when a name exists: uploads, moves, copies, new folders, and the name to type before a deletion.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../../src/protocol/types.js';
import type { SignedInUser } from '../../service/session-client.js';
import { findAxeViolations } from '../chromium-page.js';
import { chooseAction, dialogOf } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

/** Reads all files, as `path: content`. */
async function contentsOf(user: SignedInUser): Promise<string[]> {
  const { response } = await user.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=1000');
  const read = async ({ id, path }: FileRecord) => {
    const content = await fetch(`${test.service.url}/v1/files/${id}/content`, { headers: { Cookie: user.cookie } });
    return `${path}: ${await content.text()}`;
  };
  return Promise.all(response.files.map(read));
}

const textFile = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

async function upload(page: Page, files: ReturnType<typeof textFile>[]): Promise<void> {
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Files' }).click();
  await (await chooser).setFiles(files);
}

describe('an upload whose name exists', () => {
  it.each([
    ['Replace', ['a.txt: new a', 'b.txt: new b', 'c.txt: new c']],
    ['Skip', ['a.txt: old', 'b.txt: old', 'c.txt: new c']],
  ])('asks once for all files, and can %s', async (answer, contents) => {
    const user = await test.user();
    for (const path of ['a.txt', 'b.txt']) await test.put(user, path, 'old');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await upload(
      page,
      ['a', 'b', 'c'].map((name) => textFile(`${name}.txt`, `new ${name}`)),
    );
    const dialog = dialogOf(page);
    await dialog.getByRole('heading', { name: '2 files exist already' }).waitFor();
    expect((await dialog.getByRole('listitem').allInnerTexts()).toSorted()).toEqual(['a.txt', 'b.txt']);
    expect(await findAxeViolations(watched)).toEqual([]);
    await dialog.getByRole('button', { name: answer }).click();
    await expect.poll(() => contentsOf(user)).toEqual(contents);
  });

  it('keeps both files if the person closes the question', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt', 'old');
    const { page } = await test.open(user);
    await upload(page, [textFile('a.txt', 'new')]);
    await page.getByRole('dialog', { name: '1 file exists already' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('console-dialog').count()).toBe(0);
    expect(await contentsOf(user)).toEqual([expect.stringMatching(/^a-\w+\.txt: new$/), 'a.txt: old']);
  });
});

describe('a move or copy to a name that exists', () => {
  it.each([
    ['Skip the file', ['a.txt: source', 'to/a.txt: target', 'to/b.txt: source'], 'Skipped because their names exist: 1'],
    ['Replace the file in the folder', ['to/a.txt: source', 'to/b.txt: source'], 'Moved: 2'],
  ])('can choose: %s', async (choice, contents, message) => {
    const user = await test.user();
    for (const path of ['a.txt', 'b.txt']) await test.put(user, path, 'source');
    await test.put(user, 'to/a.txt', 'target');
    const { page } = await test.open(user);
    for (const name of ['a.txt', 'b.txt']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Move' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('button', { name: 'to', exact: true }).click();
    await dialog.getByLabel('If a name exists').selectOption(choice);
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText(message).waitFor();
    expect(await contentsOf(user)).toEqual(contents);
  });
});

describe('the name of a folder', () => {
  it('is refused for a new folder and for another one if a file or a folder has it', async () => {
    const user = await test.user();
    for (const path of ['taken/a.txt', 'file.txt', 'other/b.txt']) await test.put(user, path);
    const { page } = await test.open(user);
    const dialog = dialogOf(page);
    for (const name of ['taken', 'file.txt']) {
      await page.getByRole('button', { name: 'New folder' }).click();
      await dialog.getByLabel('Name').fill(name);
      await page.keyboard.press('Enter');
      await dialog.getByText('already has a file or folder with this name').waitFor();
      await page.keyboard.press('Escape');
    }
    await chooseAction(page, 'other', 'Rename');
    await dialog.getByRole('textbox').fill('taken');
    await page.keyboard.press('Enter');
    await dialog.getByText('already has a file or folder with this name').waitFor();
    expect(await contentsOf(user)).toEqual(['file.txt: x', 'other/b.txt: x', 'taken/a.txt: x']);
  });

  it('is typed before everything in the folder is deleted, also if it has letters that can be written in two ways', async () => {
    const user = await test.user();
    const name = 'Café'.normalize('NFD');
    for (let n = 0; n < 21; n++) await test.put(user, `${name}/${n}.txt`);
    const { page } = await test.open(user, `/files/${encodeURIComponent(name)}`);
    await page.getByLabel('Select all loaded rows').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox').fill('delete');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Café'.normalize('NFC'));
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => contentsOf(user)).toEqual([]);
  });
});
