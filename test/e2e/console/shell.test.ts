// The frame of the console: navigation, storage, languages, and its Content-Security-Policy in a browser.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace, expectStatus } from '../../service/workspace-client.js';
import { expectShown, visit } from './console-actions.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

describe('the console', () => {
  it('opens the files of the user without an error or a violation of its policy', async () => {
    const user = await test.user();
    await test.put(user, 'report.pdf');
    const { page, consoleErrors, requests } = await test.open(user);
    await page.getByRole('row', { name: /report\.pdf/ }).waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/files`);
    expect(consoleErrors).toEqual([]);
    expect(requests.filter((request) => !request.includes(test.service.url))).toEqual([]);
  });

  it('blocks a script that reaches the page, also one of its own origin', async () => {
    const user = await test.user();
    const { id } = await test.put(user, 'attack.js', 'globalThis.attacked = true', 'text/javascript');
    const { page } = await test.open(user);
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    const result = await page.evaluate(async (source) => {
      const directives: string[] = [];
      const reported = new Promise<void>((resolve) =>
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (directives.push(effectiveDirective) === 2) resolve();
        }),
      );
      const errors: string[] = [];
      for (const markup of [`<script src="${source}"></script>`, '<img src=x onerror="globalThis.attacked = true">'])
        try {
          document.body.insertAdjacentHTML('beforeend', markup);
        } catch (error) {
          errors.push((error as Error).name);
        }
      await reported;
      return { directives, errors, attacked: 'attacked' in globalThis };
    }, `/v1/files/${id}/content`);
    expect(result).toEqual({
      directives: ['require-trusted-types-for', 'require-trusted-types-for'],
      errors: ['TypeError', 'TypeError'],
      attacked: false,
    });
  });

  it.each([
    ['en-us', 'Files'],
    ['pt-br', 'Arquivos'],
    ['es-es', 'Archivos'],
  ])('speaks the language of the user: %s', async (language, title) => {
    const user = await test.user();
    await user.call('PATCH', '/v1/users/me', { body: { language } });
    const { page } = await test.open(user);
    await expectShown(page.getByRole('heading', { name: title }));
  });

  it('has no violation of axe and fits the window, light, dark and in forced colors', async () => {
    const user = await test.user();
    await test.put(user, 'folder/b.txt');
    await test.put(user, `${'long-name-'.repeat(12)}.txt`);
    const watched = await test.open(user, '', { bypassCSP: true });
    await watched.page.getByRole('row', { name: /long-name/ }).waitFor();
    await expectAccessible(watched);
    await watched.page.keyboard.press('?');
    await watched.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(watched);
  });

  it('shows the storage of a workspace, and states why it is read only', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    await test.put(workspace.owner, 'team.txt');
    const member = await workspace.member(['blob:read']);
    const { page } = await test.open(member);
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    await page.getByRole('button', { name: 'Storage: My storage' }).click();
    await page.getByRole('menuitemradio', { name: 'Team' }).click();
    await page.getByRole('row', { name: /team\.txt/ }).waitFor();
    await page.getByText('may read files, but not change them').waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/files?workspace=${workspace.id}`);
    await page.reload();
    await page.getByRole('row', { name: /team\.txt/ }).waitFor();
  });

  it('explains why a workspace is not shown', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['members:read']);
    const { page } = await test.open(member, `/files?workspace=${workspace.id}`);
    await page.getByRole('heading', { name: 'You can’t see this storage' }).waitFor();
    await page.goto(`${test.service.url}/console/files?workspace=none`);
    await page.getByRole('heading', { name: 'This workspace doesn’t exist' }).waitFor();
    await page.getByRole('link', { name: 'Show my storage' }).click();
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/files`);
    await page.goto(`${test.service.url}/console/nothing`);
    await page.getByRole('link', { name: 'Go to files' }).click();
    await expectShown(page.getByRole('heading', { name: 'Files' }));
  });

  it('signs out, and continues after the next sign-in where the session ended', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/files/a?sort=size');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${test.service.url}/sign-in`);
    expect((await user.call('GET', '/v1/users/me')).status).toBe(401);
    await page.goto(`${test.service.url}/console/files/a?sort=size`);
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console/files/a?sort=size');
  });

  it('asks to sign in in another tab if the end of the session would lose something, and continues then', async () => {
    const user = await test.user();
    await test.put(user, 'old.txt');
    const { page, context } = await test.open(user);
    await page.getByRole('button', { name: 'Actions for old.txt' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('new.txt');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    const link = page.getByRole('link', { name: 'Sign in in a new tab' });
    expect(await link.getAttribute('href')).toBe('/sign-in?next=%2Fconsole%2Ffiles');
    expect(await link.evaluate((element) => element.matches(':focus'))).toBe(true);
    const [name, value] = user.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: test.service.url }]);
    await page.evaluate(() => void dispatchEvent(new Event('focus')));
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('new.txt');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('row', { name: 'new.txt' }).waitFor();
  });

  it('loads the page again if another user signs in after the session ended', async () => {
    const user = await test.user();
    const { page, context } = await test.open(user);
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('folder');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    const [name, value] = (await test.user('Bia Reis')).cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: test.service.url }]);
    await page.evaluate(() => void dispatchEvent(new Event('focus')));
    await page.getByRole('button', { name: 'Account: Bia Reis' }).waitFor();
    expect(await page.locator('console-dialog').count()).toBe(0);
  });

  it('gives files their names that were stored while the session had ended', async () => {
    const user = await test.user();
    const { page, context } = await test.open(user);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Files' }).click();
    await page.route(
      '**/move',
      async (route) => {
        await context.clearCookies();
        await route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED' } });
      },
      { times: 1 },
    );
    await (await chooser).setFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }]);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    const [name, value] = user.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: test.service.url }]);
    await page.evaluate(() => void dispatchEvent(new Event('focus')));
    await page.getByRole('row', { name: 'a.txt' }).waitFor();
  });

  it.each([
    [950, 'Your storage is nearly full'],
    [1000, 'Your storage is full'],
  ])('warns when %d of 1000 bytes are used', async (bytes, warning) => {
    const user = await test.user();
    const { page } = await test.open(user, '/nothing');
    await page.route('**/v1/stats', (route) => route.fulfill({ json: { response: { bytes, quota_bytes: 1000, files: 1 } } }));
    await page.goto(`${test.service.url}/console/files`);
    await expectShown(page.getByText(warning));
  });

  it('leads to the workspaces from the choice of the storage, which keeps its place while they load', async () => {
    const { page } = await test.open(await test.user(), '/nothing');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/workspaces', (route) => answered.then(() => route.continue()));
    await page.goto(`${test.service.url}/console/files`);
    const link = page.getByRole('link', { name: 'Overview' });
    const before = await link.boundingBox();
    answer();
    await page.getByRole('button', { name: 'Storage: My storage' }).click();
    expect(await link.boundingBox()).toEqual(before);
    await page.getByRole('menuitem', { name: 'Manage workspaces' }).click();
    await page.getByRole('heading', { name: 'Workspaces', level: 1 }).waitFor();
  });

  it('states that a page does not exist', async () => {
    const { page } = await test.open(await test.user(), '/nothing');
    const heading = page.getByRole('heading', { name: 'This page doesn’t exist' });
    await heading.waitFor();
    for (const section of ['profile', 'overview', 'activity', 'access/keys', 'sharing/rules', 'sharing/webhooks/a']) {
      await visit(page, 'files');
      await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
      await visit(page, `${section}/zz`);
      await expectShown(heading);
    }
  });

  it('hides what a member may no longer do when the service denies it', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['blob:read', 'blob:manage']);
    await test.put(workspace.owner, 'report.pdf');
    const { page } = await test.open(member, `/files?workspace=${workspace.id}`);
    await page.getByRole('button', { name: 'New folder' }).click();
    expectStatus(await workspace.call('PUT', `/roles/${member.roleId}`, { name: 'reader', permissions: ['blob:read'] }), 200);
    await page.getByLabel('Name', { exact: true }).fill('made');
    await page.keyboard.press('Enter');
    await page.getByText('You may not do this').waitFor();
    await page.getByText('may read files, but not change them').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'New folder' }).count()).toBe(0);
    expectStatus(await workspace.call('DELETE', `/members/${member.user.id}`), 200);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expectShown(page.getByRole('heading', { name: 'This workspace doesn’t exist' }));
  });

  it('states when a daily limit ends, and how long a short wait is', async () => {
    const { page } = await test.open(await test.user(), '/profile');
    const refuse = (seconds: number) =>
      page.route('**/v1/users/me', (route) =>
        route.fulfill({ status: 429, json: { code: 'DAILY_QUOTA_EXCEEDED', details: { retry_after: seconds } } }),
      );
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await refuse(30);
    await save();
    await page.getByText('Try again in 30 seconds.').waitFor();
    await refuse(7 * 3600);
    await save();
    await expectShown(page.getByText(/The limit ends on \w{3} \d+, \d{4}, \d+:\d{2}/));
  });

  it('states that the code of a section could not be loaded', async () => {
    const { page } = await test.open(await test.user(), '/files');
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    await page.route('**/console/assets/*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Sharing' }).click();
    await page.getByRole('heading', { name: 'This page couldn’t be loaded' }).waitFor();
    await page.getByText('Check your connection, then try again.').waitFor();
  });

  it('opens its navigation as a drawer on a phone', async () => {
    const { page } = await test.open(await test.user(), '', { viewport: { width: 390, height: 844 } });
    await expectShown(page.getByRole('heading', { name: 'This folder is empty' }));
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    const drawer = page.getByRole('dialog', { name: 'Main navigation' });
    await drawer.getByRole('link', { name: 'Files', exact: true }).click();
    await drawer.waitFor({ state: 'hidden' });
  });
});
