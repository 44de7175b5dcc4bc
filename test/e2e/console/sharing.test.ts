// Long because all cases share one service, one browser and one DNS server.
// The section Sharing: shares, rules, domains. Webhooks are in webhooks.test.ts.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startDns } from '../../service/start-dns.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { expectReadOnly, expectShown } from './console-actions.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

const records = new Map<string, string | null>();
let dns: Awaited<ReturnType<typeof startDns>>;
let test: ConsoleTest;

beforeAll(async () => {
  dns = await startDns(records);
  test = await ConsoleTest.start({ dnsServers: [dns.address] });
});
afterAll(async () => {
  await test?.stop();
  dns.close();
});
afterEach(() => test.closeWindows());

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });
/** A dialog with its content, which lies outside of its shadow tree. */
const dialog = (page: Page, name: string | RegExp) =>
  page.locator('console-dialog').filter({ has: page.getByRole('dialog', { name }) });

/** Chooses an action of a row. */
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const shown = (page: Page, label: string) => page.getByLabel(label, { exact: true }).innerText();
const open = (url: string, password?: string) =>
  fetch(url, password === undefined ? {} : { headers: { Authorization: `Basic ${btoa(`x:${password}`)}` } });

describe('shares', () => {
  it('shares a folder by a link that works until it is deleted', async () => {
    const user = await test.user();
    await test.put(user, 'albums/2030/a.txt', 'hello');
    const { page } = await test.open(user, '/sharing');
    await page.waitForURL('**/console/sharing/shares');
    await page.getByRole('heading', { name: 'Nothing is shared' }).waitFor();
    await page.getByRole('button', { name: 'Create share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    await expect.poll(() => page.locator('#field-prefix').getAttribute('aria-invalid')).toBe('true');
    await page.locator('#field-prefix').pressSequentially('albums/');
    await expect
      .poll(() => page.locator('#path-suggestions option').evaluateAll((all) => all.map((o) => o.getAttribute('value'))))
      .toEqual(['albums/2030']);
    await page.locator('#field-prefix').fill('albums/2030');
    await page.getByLabel('Title').fill('Summer');
    await page.getByLabel('Color of the page').fill('red');
    await page.getByRole('button', { name: 'Create link' }).click();
    await expect.poll(() => page.getByLabel('Color of the page').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Color of the page').fill('#d6336c');
    await page.getByLabel('Downloads at most').fill('2');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText('can see and download the files of the folder').waitFor();
    const link = await shown(page, 'Link');
    expect(await (await open(`${link}a.txt`)).text()).toBe('hello');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row(page, /Summer.*albums\/2030\/.*Folder.*1 of 2 downloads.*Never/).waitFor();
    await open(`${link}a.txt`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row(page, /Summer.*2 of 2 downloads.*Ended/).click();
    await page.getByText('This share is used up').waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'Summer', 'Delete share');
    await dialog(page, 'Delete the share “Summer”?').getByText('Its link stops working at once').waitFor();
    await page.getByRole('button', { name: 'Delete share' }).click();
    await page.getByRole('heading', { name: 'Nothing is shared' }).waitFor();
    expect((await open(link)).status).toBe(404);
  });

  it('protects a file with a password and an expiry, and changes both', async () => {
    const user = await test.user();
    await test.put(user, 'plan.txt', 'secret plan');
    const { page, context } = await test.open(user, '/sharing/shares');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Create share' }).click();
    await page.getByRole('radio', { name: /^File/ }).check();
    await page.getByLabel('Path of the file').fill('plan.txt');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByLabel('Expires').fill('2001-01-01T10:00');
    await page.getByRole('button', { name: 'Create link' }).click();
    await expect.poll(() => page.getByLabel('Expires').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Expires').fill('2090-01-01T10:00');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText('It asks for the password.').waitFor();
    const link = await shown(page, 'Link');
    expect([(await open(link)).status, (await open(link, 'correct horse')).status]).toEqual([401, 200]);
    await page.keyboard.press('Escape');
    await row(page, /plan\.txt.*Password.*Jan 1, 2090.*in 63 years/).waitFor();
    await choose(page, 'plan.txt', 'Copy the link');
    await page.getByText('The link is copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await choose(page, 'plan.txt', 'Change share');
    await page.getByText('Empty: the password stays.').waitFor();
    await page.getByLabel('Title').fill('The plan');
    const change = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save' }).click();
    // A time without seconds would change the expiry.
    expect((await change).postDataJSON()).not.toHaveProperty('expires_at');
    await row(page, /The plan.*Password/).waitFor();
    expect((await open(link)).status).toBe(401);
    await choose(page, 'The plan', 'Change share');
    await page.getByRole('checkbox', { name: 'Remove the password' }).check();
    await page.getByLabel('Expires').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, /The plan.*Never/).waitFor();
    expect((await open(link)).status).toBe(200);
  });

  it('requests uploads', async () => {
    const user = await test.user();
    const { page, context } = await test.open(user, '/sharing/shares');
    await page.getByRole('button', { name: 'Create share' }).click();
    await page.getByRole('radio', { name: /^Upload request/ }).check();
    await page.locator('#field-prefix').fill('inbox');
    await page.getByLabel('Files at most').fill('5');
    await page.getByLabel('Largest file').fill('2 MB');
    await page.getByLabel('Allowed extensions').fill('txt');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByText('can upload files into the folder').waitFor();
    const link = await shown(page, 'Link');
    const { response } = await user.call<{ shares: object[] }>('GET', '/v1/shares');
    expect(response.shares).toEqual([
      expect.objectContaining({
        mode: 'upload',
        prefix: 'inbox',
        max_files: 5,
        max_size: 2_000_000,
        allowed_extensions: ['txt'],
      }),
    ]);
    const visitor = await context.newPage();
    await visitor.goto(link);
    const { token } = (await (
      await fetch(`${link}/upload-tokens`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ files: [{ name: 'a.txt', size: 1, type: 'text/plain' }] }),
      })
    ).json()) as { token: string };
    expect((await test.service.upload('x', 'a.txt', { credential: token })).status).toBe(201);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row(page, /inbox.*Upload request.*1 of 5 files/).waitFor();
  });
});

describe('rules', () => {
  it('limits a folder, changes the limits, and ends them', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/sharing/shares');
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Create rule' }).click();
    const form = dialog(page, 'Create rule');
    await page.getByLabel('Folder').fill('public');
    await page.getByLabel('Largest file').fill('huge');
    await form.getByRole('button', { name: 'Create rule' }).click();
    await expect.poll(() => page.getByLabel('Largest file').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Largest file').fill('1.5 kB');
    await page.getByLabel('New files are').selectOption('Public');
    await page.getByLabel('Allowed extensions').fill('.TXT');
    await page.getByLabel('Delete files after days').fill('30');
    await page.getByLabel('Sizes of resized images').fill('400x, x300');
    await form.getByRole('button', { name: 'Create rule' }).click();
    await row(page, /public\/.*Public · up to 1.5.kB · txt · deleted after 30 days · images 400x, x300/).waitFor();
    expect((await test.put(user, 'public/a.txt')).visibility).toBe('public');
    await expect(test.put(user, 'public/b.txt', 'x'.repeat(1501))).rejects.toThrow('413');
    await row(page, /public\//).focus();
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Largest file').inputValue()).toBe('1.5 kB');
    expect(await page.getByLabel('Delete files after days').inputValue()).toBe('30');
    await page.getByLabel('Largest file').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, /public\/.*Public · txt/).waitFor();
    await test.put(user, 'public/b.txt', 'x'.repeat(1501));
    await choose(page, 'public/', 'Delete rule');
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
    expect((await test.put(user, 'public/c.bin')).visibility).toBe('private');
  });
});

describe('domains', () => {
  it('shows the DNS record, verifies the domain when it exists, and removes it', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/sharing/domains');
    await page.getByRole('button', { name: 'Add domain' }).click();
    const form = dialog(page, 'Add domain');
    await page.getByLabel('Domain', { exact: true }).fill('nonsense');
    await form.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('Use a host name such as files.example.org').waitFor();
    await page.getByLabel('Domain', { exact: true }).fill('files.example.org');
    await page.locator('#field-prefix').fill('public');
    await form.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('was not found yet').waitFor();
    expect(await shown(page, 'Name of the record')).toBe('_svc-blob.files.example.org');
    const value = await shown(page, 'Value of the record');
    records.set('_svc-blob.files.example.org', 'svc-blob=outdated');
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('its value is another one').waitFor();
    expect(await shown(page, 'Found instead')).toBe('svc-blob=outdated');
    records.set('_svc-blob.files.example.org', null);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('did not respond').waitFor();
    records.set('_svc-blob.files.example.org', value);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('The domain is verified').waitFor();
    await page.keyboard.press('Escape');
    await row(page, /files\.example\.org.*public\/.*Verified.*this minute/).waitFor();
    await choose(page, 'files.example.org', 'Change folder');
    await page.locator('#field-prefix').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await row(page, /files\.example\.org.*All files/).waitFor();
    await choose(page, 'files.example.org', 'Remove domain');
    await page.getByRole('button', { name: 'Remove domain' }).click();
    await page.getByRole('heading', { name: 'No domains yet' }).waitFor();
  });
});

describe('the section Sharing', () => {
  it('states why a member who may only read cannot change anything', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    await workspace.owner.call('POST', '/v1/shares', { body: { prefix: 'team' } });
    await workspace.owner.call('POST', '/v1/rules', { body: { prefix: 'team', max_size: 1 } });
    const { page } = await test.openAsReader(workspace, '/sharing/shares');
    await expectReadOnly(page, { row: 'team/', create: 'Create share', action: 'Delete share' });
    await page.getByRole('link', { name: 'Rules' }).click();
    await row(page, /team\/.*up to 1/).waitFor();
    expect(new URL(page.url()).search).toBe(`?workspace=${workspace.id}`);
  });

  it('has no violation of axe and fits the window, light, dark and in forced colors', async () => {
    const user = await test.user();
    await user.call('POST', '/v1/shares', { body: { prefix: `${'long/'.repeat(30)}a`, password: 'x', title: 'T'.repeat(80) } });
    await user.call('POST', '/v1/rules', { body: { prefix: 'folder', max_size: 1000, visibility: 'public' } });
    await user.call('POST', '/v1/domains', { body: { host: `${'long-name.'.repeat(12)}org` } });
    const watched = await test.open(user, '/sharing/shares', { bypassCSP: true });
    const { page } = watched;
    for (const [tab, create] of [
      ['Shares', 'Create share'],
      ['Rules', 'Create rule'],
      ['Domains', 'Add domain'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Sharing' }).getByRole('link', { name: tab }).click();
      await page.locator('tr[data-index="0"]').waitFor();
      await expectAccessible(watched);
      await page.getByRole('button', { name: create }).click();
      await page.getByRole('dialog', { name: create }).waitFor();
      await expectAccessible(watched);
      await page.keyboard.press('Escape');
    }
    await page.locator('tr[data-index="0"]').click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(watched);
  });

  it.each([
    ['pt-br', 'Compartilhamentos', 'Nada está compartilhado'],
    ['es-es', 'Enlaces compartidos', 'No hay nada compartido'],
  ])('speaks %s', async (language, tab, empty) => {
    const user = await test.user();
    await user.call('PATCH', '/v1/users/me', { body: { language } });
    const { page } = await test.open(user, '/sharing/shares');
    await page.getByRole('link', { name: tab }).waitFor();
    await expectShown(page.getByRole('heading', { name: empty }));
  });

  it.each([
    ['en-us', /^Use a color such as/, /^Use a public address/, /^Use a folder .* that has no rule yet/],
    ['pt-br', /^Use uma cor como/, /^Use um endereço público/, /^Use uma pasta .* que ainda não tenha uma regra/],
    ['es-es', /^Usa un color como/, /^Usa una dirección pública/, /^Usa una carpeta .* que aún no tenga una regla/],
  ])('says in %s which values are accepted', async (language, color, address, folder) => {
    const user = await test.user();
    await user.call('PATCH', '/v1/users/me', { body: { language } });
    await user.call('POST', '/v1/rules', { body: { prefix: 'team', max_size: 1 } });
    const { page } = await test.open(user);
    const expectAdvice = async (tab: string, fields: Readonly<Record<string, string>>, advice: RegExp) => {
      await page.goto(`${test.service.url}/console/sharing/${tab}`);
      await page.locator('main button.primary').click();
      for (const [name, value] of Object.entries(fields)) await page.locator(`#field-${name}`).fill(value);
      await page.locator('console-dialog button.primary').click();
      await expectShown(page.locator('console-dialog .error').getByText(advice));
    };
    await expectAdvice('shares', { prefix: 'team', accent: 'red' }, color);
    await expectAdvice('webhooks', { url: 'https://10.1.2.3/' }, address);
    await expectAdvice('rules', { prefix: 'team' }, folder);
  });
});
