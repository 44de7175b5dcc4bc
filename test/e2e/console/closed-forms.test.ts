// Forms whose dialog is closed while their request runs.
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../../src/protocol/types.js';
import { findAxeViolations } from '../chromium-page.js';
import { chooseAction, dialogOf, expectShown, readCopyText, rowNamed } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

/** Sends the form of the open dialog, and closes the dialog. @returns its request, which waits to be continued or broken off */
async function sendAndClose(page: Page, submit: string): Promise<Route> {
  const sent = new Promise<Route>((resolve) => {
    let isHeld = false;
    void page.route('**/v1/**', async (route) => {
      if (isHeld || route.request().method() === 'GET') return route.fallback();
      isHeld = true;
      return resolve(route);
    });
  });
  await dialogOf(page).getByRole('button', { name: submit, exact: true }).click();
  const request = await sent;
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return request;
}

describe('a form that is closed while it is sent', () => {
  it('shows the secret of a new key', async () => {
    const { page } = await test.open(await test.user(), '/access/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('Server');
    const request = await sendAndClose(page, 'Create key');
    await request.continue();
    await page.getByText('can’t be shown again').waitFor();
    const credential = await readCopyText(page, 'Secret');
    expect((await test.service.call('GET', '/v1/files', { credential })).status).toBe(200);
  });

  it('shows the new link to a file', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user);
    await chooseAction(page, 'a.txt', 'Share');
    const request = await sendAndClose(page, 'Create link');
    await request.continue();
    await expectShown(dialogOf(page).getByRole('status').getByText('/s/'));
  });

  it('says what failed, and opens again with what was entered and the error', async () => {
    const watched = await test.open(await test.user(), '/access/keys', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('Server');
    const request = await sendAndClose(page, 'Create key');
    await request.abort();
    await page.getByText('Create API key: The service can’t be reached. Check your connection, then try again.').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectShown(dialogOf(page).getByRole('alert').getByText('The service can’t be reached'));
    expect(await page.getByLabel('Name').inputValue()).toBe('Server');
    await dialogOf(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByText('can’t be shown again').waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await rowNamed(page, /Server/).waitFor();
  });

  it('shows the error at its field again', async () => {
    const { page } = await test.open(await test.user(), '/access/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const request = await sendAndClose(page, 'Create key');
    await request.continue();
    await page.getByText('Create API key: Use 1 to 40 characters.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectShown(page.getByRole('textbox', { name: 'Name', description: /Use 1 to 40 characters/ }));
  });

  it.each([
    ['the new name of a file', 'Rename', 'Rename'],
    ['changes of a file', 'Details', 'Save'],
    ['the link to a file', 'Share', 'Create link'],
  ])('says that %s failed, and repeats it', async (_, action, submit) => {
    const user = await test.user();
    const { id } = await test.put(user, 'a.txt', 'x', 'text/csv');
    const { page } = await test.open(user);
    await chooseAction(page, 'a.txt', action);
    if (action === 'Rename') await page.getByLabel('Name', { exact: true }).fill('b.txt');
    if (action === 'Details') await page.getByLabel('Cache-Control').fill('max-age=60');
    const request = await sendAndClose(page, submit);
    await request.abort();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectShown(dialogOf(page).getByRole('alert').getByText('The service can’t be reached'));
    await dialogOf(page).getByRole('button', { name: submit, exact: true }).click();
    if (action === 'Share') return expectShown(dialogOf(page).getByRole('status').getByText('/s/'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { response } = await user.call<FileRecord>('GET', `/v1/files/${id}`);
    expect([response.path, response.cache_control]).toEqual(action === 'Rename' ? ['b.txt', null] : ['a.txt', 'max-age=60']);
  });

  it('says that an upload request failed, and creates it again', async () => {
    const { page } = await test.open(await test.user());
    await page.getByRole('button', { name: 'Request files' }).first().click();
    await page.getByLabel('Heading of the page').fill('Photos');
    const request = await sendAndClose(page, 'Create link');
    await request.abort();
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await page.getByLabel('Heading of the page').inputValue()).toBe('Photos');
    await dialogOf(page).getByRole('button', { name: 'Create link' }).click();
    await expectShown(dialogOf(page).getByRole('status').getByText('/s/'));
  });

  it('stays closed when its message is closed', async () => {
    const { page } = await test.open(await test.user(), '/access/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const request = await sendAndClose(page, 'Create key');
    await request.abort();
    await page.getByRole('status').getByRole('button', { name: 'Close' }).click();
    await page.getByText('The service can’t be reached').waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
