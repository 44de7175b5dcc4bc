// The section Profile: name, language, password, sessions.
import { ADMIN_CREATOR } from '../../../server/service/identity/creator.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientWithCookie } from '../../service/session-client.js';
import type { SignedInUser } from '../../service/session-client.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { expectShown } from './console-actions.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const PASSWORD = 'heron gravel lantern';

/** Starts another session of a user, as another browser would. */
async function anotherSession({ user }: SignedInUser, userAgent: string) {
  const { core } = test.service.service;
  const secret = await core.write((query) => core.sessions.start(query, user.id, { ip: '192.0.2.7', userAgent }));
  return clientWithCookie(test.service, `svc_session=${secret}`);
}

async function userWithPassword(): Promise<SignedInUser> {
  const signedIn = await test.user();
  await test.service.service.core.userPasswords.reset(signedIn.user.id, ADMIN_CREATOR, PASSWORD);
  const other = await anotherSession(signedIn, 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0');
  return { ...signedIn, ...other };
}

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';

describe('the profile', () => {
  it('opens from the menu of the account and changes the name everywhere', async () => {
    const user = await test.user();
    const { page } = await test.open(user);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/profile`);
    await page.getByLabel('Name').fill('  Bia Lima ');
    await page.getByRole('checkbox', { name: /Others may invite me/ }).uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Profile saved').waitFor();
    await page.getByRole('button', { name: /Account: Bia Lima/ }).waitFor();
    const { response } = await user.call<Record<string, unknown>>('GET', '/v1/users/me');
    expect(response).toMatchObject({ name: 'Bia Lima', workspace_invites_enabled: false });
  });

  it('changes the language of the page', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/profile');
    await page.getByLabel('Language').selectOption('Português (Brasil)');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Perfil', level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
    await page.getByLabel('Idioma').selectOption('Español');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByRole('heading', { name: 'Contraseña' }).waitFor();
  });

  it('states why a name is refused, and keeps what was typed', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/profile');
    await page.getByLabel('Name').fill('   ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Type a name').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('   ');
  });

  it('changes the password only with the current one, and ends other sessions', async () => {
    const user = await userWithPassword();
    const other = await anotherSession(user, FIREFOX);
    const { page } = await test.open(user, '/profile');
    await page.getByText('Firefox on Windows').waitFor();
    await page.getByLabel('Current password').fill('wrong password');
    await page.getByLabel('New password').fill('sparrow meadow anchor');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByText('The current password is wrong').waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/profile`);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('password1');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByText('too common').waitFor();
    await page.getByLabel('New password').fill('sparrow meadow anchor');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.getByText('Firefox on Windows').waitFor({ state: 'detached' });
    expect((await other.call('GET', '/v1/users/me')).status).toBe(401);
    const { user: record } = user;
    const signedIn = await fetch(`${test.service.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: record.email, password: 'sparrow meadow anchor' }),
    });
    expect(signedIn.status).toBe(201);
  });

  it('lists the sessions, ends one, and all others', async () => {
    const user = await test.user();
    const firefox = await anotherSession(user, FIREFOX);
    const phone = await anotherSession(user, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile Safari/604.1');
    const tool = await anotherSession(user, 'curl/8.0');
    const { page } = await test.open(user, '/profile');
    await page.getByText('This session').waitFor();
    await page.getByText('Signed in from 192.0.2.7').first().waitFor();
    await page.getByRole('button', { name: 'End the session of Firefox on Windows' }).click();
    await page.getByText('Session ended').waitFor();
    await page.getByText('Firefox on Windows').waitFor({ state: 'detached' });
    expect((await firefox.call('GET', '/v1/users/me')).status).toBe(401);
    expect((await phone.call('GET', '/v1/users/me')).status).toBe(200);
    await page.getByRole('button', { name: 'End all others' }).click();
    const dialog = page.locator('console-dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await phone.call('GET', '/v1/users/me')).status).toBe(200);
    await page.getByRole('button', { name: 'End all others' }).click();
    await dialog.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('on no other device').waitFor();
    for (const client of [phone, tool]) expect((await client.call('GET', '/v1/users/me')).status).toBe(401);
    expect((await user.call('GET', '/v1/users/me')).status).toBe(200);
  });

  it('shows an error of the sessions with another attempt', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/nothing');
    await page.route('**/v1/users/me/sessions', (route) =>
      route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } }),
    );
    await page.goto(`${test.service.url}/console/profile`);
    await page.getByRole('heading', { name: 'The service failed' }).waitFor();
    await page.unroute('**/v1/users/me/sessions');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectShown(page.getByText('This session'));
  });

  it('leads to the activity log of the own account', async () => {
    const user = await test.user();
    await user.call('POST', '/v1/shares', { body: { prefix: 'albums' } });
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Activity' }).click();
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    const entry = page.getByRole('row', { name: /^Share: created/ });
    await entry.waitFor();
    await expectAccessible(watched);
    await page.getByLabel('Action').selectOption('api_key.created');
    await page.getByRole('heading', { name: 'No entry fits the filters' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Reset the filters' }).click();
    await entry.waitFor();
  });

  it('keeps the filters of the activity log behind a button on a phone, which counts them', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/activity?action=share.created', { viewport: { width: 390, height: 844 } });
    await page.getByRole('heading', { name: 'No entry fits the filters' }).waitFor();
    const action = page.getByLabel('Action');
    expect(await action.isVisible()).toBe(false);
    const button = page.getByRole('button', { name: 'Filters (1)' });
    await button.click();
    await action.selectOption('All');
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await action.waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectShown(action);
    expect(await button.count()).toBe(0);
  });

  it('opens although the chosen storage is not accessible', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['members:read']);
    const { page } = await test.open(member, `/profile?workspace=${workspace.id}`);
    await expectShown(page.getByText('This session'));
  });

  it('has no violation of axe and fits the window, light, dark and in forced colors', async () => {
    const user = await test.user();
    await anotherSession(user, FIREFOX);
    const watched = await test.open(user, '/profile', { bypassCSP: true });
    await watched.page.getByText('This session').waitFor();
    await expectAccessible(watched);
  });
});
