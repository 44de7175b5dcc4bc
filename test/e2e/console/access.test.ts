// The section Access: API keys, connected applications, and all its pages.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../../server/service/identity/scopes.js';
import { exchange, grant } from '../../service/oauth-flow.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { chooseAction, dialogNamed, readCopyText, rowNamed } from './console-actions.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const status = (key: string, path = '/v1/files') => test.service.call('GET', path, { credential: key }).then((r) => r.status);

describe('API keys', () => {
  it('offers each scope of the service once, in plain words', async () => {
    const { page } = await test.open(await test.user(), '/access/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    const boxes = dialogNamed(page, 'Create API key').locator('input[name=scope]');
    const offered = await boxes.evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
    expect(offered.toSorted()).toEqual(SCOPES.toSorted());
    const labels = await boxes.evaluateAll((inputs) => inputs.map((input) => input.closest('label')!.textContent.trim()));
    expect(labels.filter((label) => label === '' || label.includes(':'))).toEqual([]);
  });

  it('creates a key, shows its secret once, and lists when it was used', async () => {
    const { page, context } = await test.open(await test.user(), '/access');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.waitForURL('**/console/access/keys');
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('Backup server');
    await page.getByLabel('Permissions', { exact: true }).selectOption('Files: read only');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('can’t be shown again').waitFor();
    const secret = await readCopyText(page, 'Secret');
    expect(await status(secret)).toBe(200);
    expect(await readCopyText(page, 'Example')).toContain(
      `export SVC_BLOB_URL=${test.service.url}\nexport SVC_API_KEY=${secret}\n`,
    );
    await page.getByRole('button', { name: 'Copy Secret' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await rowNamed(page, /Backup server.*Files: read only/).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowNamed(page, /Backup server.*this minute/).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it('says at its field which values are accepted', async () => {
    const { page } = await test.open(await test.user(), '/access/keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Use 1 to 40 characters.').waitFor();
    const name = page.getByLabel('Name');
    await expect.poll(() => name.evaluate((input) => input.matches(':focus'))).toBe(true);
    await name.fill('One');
    await page.getByLabel('Allowed addresses').fill('10.0.0.0/8\nnonsense');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Use IP addresses or ranges such as 10.0.0.0/8, at most 20.').waitFor();
    expect(await page.getByLabel('Allowed addresses').getAttribute('aria-invalid')).toBe('true');
    expect(await name.inputValue()).toBe('One');
  });

  it('changes permissions and addresses', async () => {
    const user = await test.user();
    const { response: key } = await user.call<{ id: string; api_key: string }>('POST', '/v1/users/me/api-keys', {
      body: { name: 'Editor', scopes: ['blob:read'] },
    });
    const { page } = await test.open(user, '/access/keys');
    await chooseAction(page, 'Editor', 'Change');
    await page.getByRole('checkbox', { name: 'See and download your files' }).uncheck();
    await page.getByRole('checkbox', { name: 'See your profile, your email and your sessions' }).check();
    expect(await page.getByLabel('Permissions', { exact: true }).inputValue()).toBe('custom');
    await page.getByRole('button', { name: 'Save' }).click();
    await rowNamed(page, /Editor.*Profile/).waitFor();
    expect([await status(key.api_key), await status(key.api_key, '/v1/users/me')]).toEqual([403, 200]);
    await rowNamed(page, /Editor/).focus();
    await page.keyboard.press('Enter');
    await dialogNamed(page, 'Editor').getByText('Any address').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Allowed addresses').fill('192.0.2.1');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => status(key.api_key, '/v1/users/me')).toBe(403);
  });

  it('rotates a key with an overlap, and revokes it', async () => {
    const user = await test.user();
    const { response: key } = await user.call<{ api_key: string }>('POST', '/v1/users/me/api-keys', {
      body: { name: 'Server', scopes: ['blob:read'] },
    });
    const { page } = await test.open(user, '/access/keys');
    const rotate = async (overlap: string) => {
      await chooseAction(page, 'Server', 'Give a new secret');
      await page.getByLabel('The old secret stays valid').selectOption(overlap);
      await page.getByRole('button', { name: 'Create new secret' }).click();
      await page.getByRole('dialog', { name: 'The key “Server” has a new secret' }).waitFor();
      const secret = await readCopyText(page, 'Secret');
      await page.keyboard.press('Escape');
      return secret;
    };
    const second = await rotate('for 24 hours');
    expect([await status(key.api_key), await status(second)]).toEqual([200, 200]);
    const third = await rotate('not at all: it ends now');
    expect([await status(key.api_key), await status(second), await status(third)]).toEqual([401, 401, 200]);
    await chooseAction(page, 'Server', 'Revoke');
    await dialogNamed(page, 'Revoke the key “Server”?').getByText('end with it').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await status(third)).toBe(200);
    await chooseAction(page, 'Server', 'Revoke');
    await dialogNamed(page, 'Revoke the key “Server”?').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key “Server” is revoked.').waitFor();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    expect(await status(third)).toBe(401);
  });

  it('explains inside a workspace that keys belong to the account', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await test.open(workspace.owner, `/access/keys?workspace=${workspace.id}`);
    await page.getByRole('heading', { name: 'API keys belong to your account' }).waitFor();
    await page.getByRole('link', { name: 'Open my keys' }).click();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/access/keys`);
  });
});

describe('connected apps', () => {
  it('lists an app that received a key over OAuth, and disconnects it', async () => {
    const user = await test.user();
    const { json } = await exchange(test.service, await grant(test.service, user, { name: 'Code Editor' }));
    const { page } = await test.open(user, '/access/keys');
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    await page.getByRole('link', { name: 'Connected apps' }).click();
    expect(await page.getByRole('link', { name: 'Connected apps' }).getAttribute('aria-current')).toBe('page');
    await rowNamed(page, /Code Editor.*Files: read and change/).waitFor();
    await chooseAction(page, 'Code Editor', 'Change the permissions');
    await page.getByLabel('Permissions', { exact: true }).selectOption('Files: read only');
    await page.getByRole('button', { name: 'Save' }).click();
    await rowNamed(page, /Code Editor.*Files: read only/).click();
    await dialogNamed(page, 'Code Editor').getByRole('button', { name: 'Disconnect' }).click();
    await dialogNamed(page, 'Disconnect “Code Editor”?').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('heading', { name: 'No connected apps' }).waitFor();
    expect(await status(json['access_token']!)).toBe(401);
  });
});

describe('the section Access', () => {
  it('shows the current page among its links on a phone', async () => {
    const { page } = await test.open(await test.user(), '/access/apps', { viewport: { width: 390, height: 844 } });
    const link = page.getByRole('link', { name: 'Connected apps' });
    await link.waitFor();
    await expect.poll(async () => link.evaluate((element) => element.getBoundingClientRect().right <= innerWidth)).toBe(true);
  });

  it('has no violation of axe and fits the window, light, dark and in forced colors', async () => {
    const user = await test.user();
    await user.call('POST', '/v1/users/me/api-keys', { body: { name: 'k'.repeat(40), scopes: ['blob:read', 'account:read'] } });
    await user.call('POST', '/v1/s3-credentials', { body: { name: 'A pair', prefix: 'folder' } });
    await user.call('POST', '/v1/upload-tokens', { body: { path: `${'long/'.repeat(30)}a` } });
    const watched = await test.open(user, '/access/keys', { bypassCSP: true });
    const { page } = watched;
    for (const [tab, create] of [
      ['API keys', 'Create API key'],
      ['S3 key pairs', 'Create key pair'],
      ['Upload tokens', 'Create upload token'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: tab }).click();
      await page.locator('tr[data-index="0"]').waitFor();
      await expectAccessible(watched);
      await page.getByRole('button', { name: create }).click();
      await page.getByRole('dialog', { name: create }).waitFor();
      await expectAccessible(watched);
      await page.keyboard.press('Escape');
    }
  });

  it.each([
    ['en-us', 'API keys', 'No API keys yet', 'Use 1 to 40 characters.', /^Use IP addresses .* at most 20/],
    ['pt-br', 'Chaves de API', 'Nenhuma chave de API', 'Use de 1 a 40 caracteres.', /^Use endereços IP .* no máximo 20/],
    ['es-es', 'Claves de API', 'Aún no hay claves de API', 'Usa de 1 a 40 caracteres.', /^Usa direcciones IP .* como máximo 20/],
  ])('speaks %s, also in errors at its fields', async (language, tab, empty, nameError, ipsError) => {
    const user = await test.user();
    await user.call('PATCH', '/v1/users/me', { body: { language } });
    const { page } = await test.open(user, '/access/keys');
    await page.getByRole('link', { name: tab }).waitFor();
    await page.getByRole('heading', { name: empty }).waitFor();
    await page
      .getByRole('button', { name: /^(Create|Criar|Crear)/ })
      .first()
      .click();
    const send = page.locator('console-dialog button.primary');
    await send.click();
    await page.getByText(nameError).waitFor();
    await page.locator('#field-name').fill('One');
    await page.locator('#field-allowed_ips').fill('nonsense');
    await send.click();
    await page.getByText(ipsError).waitFor();
    expect(await page.locator('#field-allowed_ips').getAttribute('aria-invalid')).toBe('true');
  });
});
