// Search, links and upload requests in the section Files.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTokenMinter, createTokenRoute } from '../../../server/helper/index.js';
import type { TokenRoute } from '../../../server/helper/index.js';
import type { FileRecord } from '../../../src/protocol/types.js';
import { createKey } from '../../service/session-client.js';
import type { SignedInUser } from '../../service/session-client.js';
import { freePort } from '../../support/ports.js';
import { buildProject, serveProject } from '../built-project.js';
import { fileInputOf, findAxeViolations } from '../chromium-page.js';
import { expectShown, visit } from './console-actions.js';
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

const pathsOf = async (user: SignedInUser): Promise<string[]> =>
  (await user.call<{ files: FileRecord[] }>('GET', '/v1/files')).response.files.map(({ path }) => path);

/** Writes the files that show the component `Upload`. */
async function writeReactPage(root: string): Promise<void> {
  const main = `import { createRoot } from 'react-dom/client';
    import { Upload } from './Upload';
    createRoot(document.getElementById('app')!).render(<Upload />);`;
  await writeFile(join(root, 'main.tsx'), main);
  const page = '<!doctype html><html lang="en"><div id="app"></div><script type="module" src="/main.tsx"></script></html>';
  await writeFile(join(root, 'index.html'), page);
}

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

  it('ignores values of an address that it cannot use', async () => {
    const user = await test.user();
    await test.put(user, 'folder/a.txt');
    const { page, consoleErrors } = await test.open(user, '/files/folder?after=2030-13-45');
    await page.getByRole('row', { name: 'a.txt' }).waitFor();
    for (const query of ['before=0000-00-00', 'min=1e400', 'max=-1', 'min=zero', 'type=none&sort=none']) {
      await visit(page, 'files');
      await page.getByRole('row', { name: 'folder' }).waitFor();
      await visit(page, `files/folder?${query}`);
      await page.getByRole('row', { name: 'a.txt' }).waitFor();
    }
    expect(consoleErrors).toEqual([]);
  });

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

  it.each([
    ['HTML', 'index.html', (code: string) => `<!doctype html><html lang="en"><title>Site</title>${code}</html>`],
    ['React', 'Upload.tsx', (code: string) => code],
  ])('show code of a page that uploads: %s', async (kind, file, complete) => {
    const user = await test.user();
    const { page, context } = await test.open(user, '/files/in');
    await page.getByRole('button', { name: 'Request files' }).click();
    await page.getByText('Put the upload field').click();
    const code = await page.locator(`pre[aria-label=${kind}]`).innerText();
    const { secret: apiKey } = await createKey(test.service, user.user.id, ['blob:write']);
    // The folder is inside the package, so that imports of its name find the built files.
    const root = await mkdtemp(resolve('dist/snippet-'));
    try {
      await writeFile(join(root, file), complete(code));
      if (kind === 'React') await writeReactPage(root);
      using site = await serveProject({ apiKey, service: test.service.url }, await buildProject(root, join(root, 'built')));
      const visitor = await context.newPage();
      await visitor.goto(site.url);
      const files = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') };
      await fileInputOf(visitor, 'svc-uploader').setInputFiles(files);
      await expect.poll(() => pathsOf(user)).toEqual([expect.stringMatching(/^examples\/a-\w+\.txt$/)]);
    } finally {
      await rm(root, { recursive: true });
    }
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

describe('with an origin for stored files', () => {
  let separate: ConsoleTest;
  let origin: string;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    separate = await ConsoleTest.start({ port, publicUrl: `http://127.0.0.1:${port}`, deliveryUrl: origin });
  });
  afterAll(() => separate?.stop());

  it('all copied addresses lead there, and previews and downloads work', async () => {
    const user = await separate.user();
    const { id } = await separate.put(user, 'a.txt', 'hello', 'text/csv');
    await user.call('PATCH', `/v1/files/${id}`, { body: { visibility: 'public' } });
    const { page, context, consoleErrors } = await separate.open(user);
    await page.getByRole('button', { name: 'a.txt', exact: true }).click();
    await page.locator('pre.preview').getByText('hello').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
    expect(await readFile(await download.path(), 'utf8')).toBe('hello');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for a.txt' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    const links = page.locator('console-dialog code');
    await page.getByRole('button', { name: 'Create link' }).click();
    await links.getByText('/s/').waitFor();
    const [publicUrl, share] = await links.allInnerTexts();
    await page.getByLabel('Temporary link').check();
    await page.getByRole('button', { name: 'Create link' }).click();
    await links.getByText('?').waitFor();
    const temporary = (await links.allInnerTexts()).at(-1);
    const visitor = await context.newPage();
    for (const address of [publicUrl!, temporary!]) {
      expect(address).toMatch(new RegExp(`^${origin}/f/`));
      expect(await (await fetch(address)).text()).toBe('hello');
    }
    expect(share).toMatch(new RegExp(`^${origin}/s/`));
    await visitor.goto(share!);
    await expectShown(visitor.getByText('a.txt').first());
    expect(consoleErrors).toEqual([]);
  });
});
