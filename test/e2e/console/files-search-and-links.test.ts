// Search, links and upload requests in the section Files.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTokenMinter, createTokenRoute } from '../../../server/helper/index.js';
import type { TokenRoute } from '../../../server/helper/index.js';
import { createKey } from '../../service/session-client.js';
import type { SignedInUser } from '../../service/session-client.js';
import { findAxeViolations } from '../chromium-page.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

interface Share {
  path: string | null;
  prefix: string | null;
  mode: string;
  has_password: boolean;
  expires_at: string | null;
  max_size: number | null;
  max_files: number | null;
  allowed_extensions: string[] | null;
}

const sharesOf = async (user: SignedInUser): Promise<Share[]> =>
  (await user.call<{ shares: Share[] }>('GET', '/v1/shares')).response.shares;

const names = (page: Page) => page.locator('tbody tr[data-index] .main').allInnerTexts();

describe('the search', () => {
  it('finds files by name, type and size below the folder, and keeps them in the address', async () => {
    const user = await test.user();
    await test.put(user, 'a/Report-1.pdf', 'x', 'application/pdf');
    await test.put(user, 'a/b/report-2.pdf', 'x'.repeat(2000), 'application/pdf');
    await test.put(user, 'a/report.csv', 'x', 'text/csv');
    await test.put(user, 'other/report-3.pdf', 'x', 'application/pdf');
    const watched = await test.open(user, '/files/a', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('row', { name: 'report.csv' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('REPORT');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(['Report-1.pdf', 'b/report-2.pdf', 'report.csv']);
    await page.getByLabel('Type', { exact: true }).selectOption('pdf');
    await expect.poll(() => names(page)).toEqual(['Report-1.pdf', 'b/report-2.pdf']);
    await page.getByText('Size and date').click();
    await page.getByLabel('At least, MB').fill('0.001');
    await page.getByLabel('At least, MB').press('Enter');
    await expect.poll(() => names(page)).toEqual(['b/report-2.pdf']);
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['b/report-2.pdf']);
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('link', { name: 'b', exact: true }).waitFor();
    await page.getByLabel('Search by name or ID').fill('nothing-here');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No files found' }).waitFor();
  });

  it.each(['after=2030-13-45', 'before=0000-00-00', 'min=1e400', 'max=-1', 'min=zero', 'type=none&sort=none'])(
    'ignores the value %s of an address',
    async (query) => {
      const user = await test.user();
      await test.put(user, 'a.txt');
      const { page, consoleErrors } = await test.open(user, `/files?${query}`);
      await page.getByRole('row', { name: 'a.txt' }).waitFor();
      expect(consoleErrors).toEqual([]);
    },
  );

  it('finds a file by its id', async () => {
    const user = await test.user();
    const { id } = await test.put(user, 'deep/er/x.bin');
    const { page } = await test.open(user, `/files?q=${id}`);
    await expect.poll(() => names(page)).toEqual(['deep/er/x.bin']);
  });
});

describe('links', () => {
  it('share a file by a page with a password, and by a temporary link that opens it', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt', 'hello', 'text/csv');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('button', { name: 'Actions for a.txt' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await page.getByLabel('Password (optional)').fill('secret word');
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.locator('console-dialog code').getByText('/s/').waitFor();
    // A second click makes no second link.
    await page.getByRole('button', { name: 'Create link' }).click({ force: true });
    expect(await sharesOf(user)).toMatchObject([{ path: 'a.txt', has_password: true, expires_at: expect.any(String) }]);
    await page.getByLabel('Temporary link').check();
    await page.getByLabel('Ends after').selectOption({ label: '1 hour' });
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = page.locator('console-dialog code').getByText('/f/');
    await link.waitFor();
    expect(await (await fetch((await link.textContent())!)).text()).toBe('hello');
  });

  it('request files into a folder, within limits', async () => {
    const user = await test.user();
    await test.put(user, 'in/x.txt');
    const watched = await test.open(user, '/files/in', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('button', { name: 'Request files' }).click();
    await page.getByLabel('Largest file, MB').fill('2.5');
    await page.getByLabel('Number of files').fill('10');
    await page.getByLabel('File types').fill('.PDF; jpg');
    await page.getByText('Put the upload field').click();
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByRole('button', { name: 'Create link' }).dblclick();
    await page.locator('console-dialog code').getByText('/s/').waitFor();
    expect(await sharesOf(user)).toMatchObject([
      { prefix: 'in', mode: 'upload', max_size: 2_500_000, max_files: 10, allowed_extensions: ['pdf', 'jpg'] },
    ]);
  });

  it.each([
    ['', /^a-\w+\.txt$/],
    ['in "quotes"/', /^in "quotes"\/a-\w+\.txt$/],
  ])('show code of a backend that mints tokens for the folder "%s"', async (folder, path) => {
    const user = await test.user();
    await test.put(user, `${folder}x.txt`);
    const { page } = await test.open(user, `/files/${encodeURI(folder)}`);
    await page.getByRole('button', { name: 'Request files' }).click();
    await page.getByText('Put the upload field').click();
    const code = await page.locator('pre[aria-label^=Backend]').innerText();
    const runnable = code.replace(/^import .*$/m, '').replace('export const POST =', 'return');
    const { secret: key } = await createKey(test.service, user.user.id, ['blob:write']);
    const run = new Function('createTokenMinter', 'createTokenRoute', 'process', runnable);
    const route = run(createTokenMinter, createTokenRoute, { env: { SVC_API_KEY: key } }) as TokenRoute;
    const answer = await route(
      new Request('https://site.example/upload-token', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ files: [{ name: 'a.txt', size: 1, type: 'text/plain' }], reason: 'start' }),
      }),
    );
    const { token } = (await answer.json()) as { token: string };
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.txt');
    const headers = { Authorization: `Bearer ${token}` };
    const stored = await fetch(`${test.service.url}/v1/files`, { method: 'POST', headers, body: form });
    expect(((await stored.json()) as { response: { path: string } }).response.path).toMatch(path);
  });

  it('request files into the whole storage', async () => {
    const user = await test.user();
    const { page } = await test.open(user);
    await page.getByRole('button', { name: 'Request files' }).click();
    await page.getByText('upload into your storage').waitFor();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = page.locator('console-dialog code').getByText('/s/');
    await link.waitFor();
    expect(await sharesOf(user)).toMatchObject([{ prefix: '', mode: 'upload' }]);
    const response = await fetch(`${(await link.textContent())!}/upload-tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ files: [{ name: 'a.txt', size: 1, type: 'text/csv' }] }),
    });
    const { token } = (await response.json()) as { token: string };
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.txt');
    const stored = await fetch(`${test.service.url}/v1/files`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: form,
    });
    expect(stored.status).toBe(201);
  });
});
