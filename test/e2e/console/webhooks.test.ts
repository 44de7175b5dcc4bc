// Webhooks in the section Sharing, with a real receiver.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../server/helper/index.js';
import type { SignedInUser } from '../../service/session-client.js';
import { WebhookReceiver } from '../../service/webhook-receiver.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

let receiver: WebhookReceiver;
let test: ConsoleTest;
let count = 0;
/** The path of the receiver for the running test. */
let path: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  test = await ConsoleTest.start({ outboundAllow: ['127.0.0.1'] });
});
afterAll(async () => {
  await test?.stop();
  receiver.close();
});
beforeEach(() => {
  path = `/hook-${++count}`;
  receiver.respond = (response) => response.end();
});
afterEach(() => test.closeWindows());

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });
const shown = (page: Page, label: string) => page.getByLabel(label, { exact: true }).innerText();

/** Creates a webhook over the API. */
async function create(user: SignedInUser, fields: object = {}): Promise<string> {
  const body = { url: receiver.url + path, events: ['file.created'], ...fields };
  const { response } = await user.call<{ id: string }>('POST', '/v1/webhooks', { body });
  return response.id;
}

/** Presses Refresh until a row appears. */
const refreshUntil = async (page: Page, name: RegExp) =>
  expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return row(page, name).count();
    })
    .toBe(1);

describe('one record more than the service keeps', () => {
  it.each([
    ['en-us', 'There are 10 webhooks already, the maximum. Delete what is no longer used first.'],
    ['pt-br', 'Já existem 10 webhooks, o máximo. Exclua primeiro o que não é mais usado.'],
    ['es-es', 'Ya hay 10 webhooks, el máximo. Elimina primero lo que ya no se use.'],
  ])('is refused above the form, and marks no field: %s', async (language, text) => {
    const user = await test.user();
    await user.call('PATCH', '/v1/users/me', { body: { language } });
    for (let n = 0; n < 10; n++) await create(user);
    const { page } = await test.open(user, '/sharing/webhooks');
    await page.getByRole('button', { name: /^(Create|Criar|Crear) webhook/ }).click();
    await page.locator('#field-url').fill(receiver.url + path);
    await page.locator('console-dialog button.primary').click();
    await page.getByRole('alert').getByText(text).waitFor();
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0);
  });
});

describe('webhooks', () => {
  it('creates a webhook, shows its secret once, and lists a delivery that its server can verify', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/sharing/webhooks');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const submit = page.locator('console-dialog').getByRole('button', { name: 'Create webhook' });
    await page.getByLabel('Address').fill('http://10.1.2.3/');
    await submit.click();
    await expect.poll(() => page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Address').fill(receiver.url + path);
    await page.getByRole('checkbox', { name: 'A file was stored' }).uncheck();
    await submit.click();
    await page.locator('fieldset .error').waitFor();
    await page.getByRole('checkbox', { name: 'A file was stored' }).check();
    await page.getByRole('checkbox', { name: 'A file was deleted' }).check();
    await page.getByLabel('Folder').fill('in');
    await page.getByLabel('Description').fill('Search index');
    await submit.click();
    await page.getByText('can’t be shown again').waitFor();
    const secret = await shown(page, 'Secret');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Search index Active' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/sharing\/webhooks\/\w+$/);
    await page.getByText('A file was stored, A file was deleted').waitFor();
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
    await test.put(user, 'out/a.txt');
    await test.put(user, 'in/a.txt');
    await expect.poll(() => receiver.to(path).length).toBe(1);
    const { body, headers } = receiver.to(path)[0]!;
    expect(await verifyWebhook({ body, headers }, { secret })).toMatchObject({ type: 'file.created' });
    await refreshUntil(page, /file\.created.*Delivered.*HTTP 200/);
    await row(page, /file\.created/).focus();
    await page.keyboard.press('Enter');
    await page.getByText('"in/a.txt"').waitFor();
    expect(JSON.parse(await shown(page, 'Payload'))).toEqual(JSON.parse(body));
    await page.getByText(headers['webhook-id']!).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.to(path).length).toBe(2);
    expect(receiver.to(path)[1]!.headers['webhook-id']).toBe(headers['webhook-id']);
    await page.getByRole('link', { name: 'Webhooks' }).last().click();
    await row(page, /Search index.*file\.created, file\.deleted.*Active/).waitFor();
  });

  it('shows why a delivery fails, filters by state, and repeats it', async () => {
    const user = await test.user();
    const id = await create(user);
    receiver.respond = (response) => response.writeHead(500).end();
    await test.put(user, 'a.txt');
    await expect.poll(() => receiver.to(path).length).toBe(1);
    const { page } = await test.open(user, `/sharing/webhooks/${id}`);
    await refreshUntil(page, /file\.created.*Waiting.*HTTP 500/);
    await page.reload();
    await page.getByRole('heading', { name: /Failing/ }).waitFor();
    await page.getByLabel('State of the deliveries').selectOption('Delivered');
    await page.getByRole('heading', { name: 'No such deliveries' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=delivered');
    await page.getByLabel('State of the deliveries').selectOption('Waiting');
    await row(page, /HTTP 500/).click();
    await page.getByText('Next attempt').waitFor();
    // A slow machine has made a second attempt.
    await page
      .getByText(/HTTP 500 · \d+ ms/)
      .first()
      .waitFor();
    receiver.respond = (response) => response.end();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The delivery is sent again.').waitFor();
    await page.getByLabel('State of the deliveries').selectOption('All states');
    await refreshUntil(page, /file\.created.*Delivered.*HTTP 200/);
  });

  it('follows a pending delivery while the page is visible', async () => {
    const user = await test.user();
    const id = await create(user);
    let isReady = false;
    receiver.respond = (response) => response.writeHead(isReady ? 200 : 500).end();
    await test.put(user, 'a.txt');
    await expect.poll(() => receiver.to(path).length).toBe(1);
    const { page, requests } = await test.open(user, '/sharing/webhooks');
    await row(page, new RegExp(path)).waitFor();
    await page.clock.install();
    await row(page, new RegExp(path)).click();
    await row(page, /Waiting/).waitFor();
    const asked = () => requests.filter((request) => request.includes('/deliveries')).length;
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await setHidden(true);
    const before = asked();
    await page.clock.fastForward(60_000);
    expect(asked()).toBe(before);
    isReady = true;
    await setHidden(false);
    const { response } = await user.call<{ deliveries: { id: string }[] }>('GET', `/v1/webhooks/${id}/deliveries`);
    await user.call('POST', `/v1/webhooks/${id}/deliveries/${response.deliveries[0]!.id}/repeat`);
    await expect.poll(() => receiver.to(path).length).toBe(2);
    await expect
      .poll(async () => {
        await page.clock.fastForward(5000);
        return row(page, /Delivered/).count();
      })
      .toBe(1);
    const settled = asked();
    await page.clock.fastForward(60_000);
    expect(asked()).toBe(settled);
  });

  it('shows a suspension, and ends it', async () => {
    const user = await test.user();
    const id = await create(user);
    receiver.respond = (response) => response.writeHead(410).end();
    await test.put(user, 'a.txt');
    const status = async () => (await user.call<{ status: string }>('GET', `/v1/webhooks/${id}`)).response.status;
    await expect.poll(status).toBe('suspended');
    const { page } = await test.open(user, '/sharing/webhooks');
    await row(page, /Suspended/).click();
    await page.getByText('your server responded with 410').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('heading', { name: /Active/ }).waitFor();
    expect(await status()).toBe('enabled');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('heading', { name: /Off/ }).waitFor();
    expect(await status()).toBe('disabled');
  });

  it('replaces the secret with an overlap, changes the address, and deletes the webhook', async () => {
    const user = await test.user();
    const id = await create(user);
    const { page } = await test.open(user, `/sharing/webhooks/${id}`);
    const more = async (action: string) => {
      await page.locator('webhook-page .tools').getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await more('Replace the secret');
    await page.getByLabel('The old secret signs').selectOption('for 1 more hour');
    await page.getByRole('button', { name: 'Create new secret' }).click();
    const secret = await shown(page, 'Secret');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Old secret signs until').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Address').fill(`${receiver.url}${path}-new`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: `${path}-new` }).waitFor();
    await test.put(user, 'a.txt');
    await expect.poll(() => receiver.to(`${path}-new`).length).toBe(1);
    const { body, headers } = receiver.to(`${path}-new`)[0]!;
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(await verifyWebhook({ body, headers }, { secret })).toMatchObject({ type: 'file.created' });
    await more('Delete webhook');
    await page.getByText('the list of deliveries is deleted with it').waitFor();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect((await user.call('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    await page.goBack();
    await page.getByRole('heading', { name: 'This no longer exists' }).waitFor();
  });

  it('lets a member who may only read look at deliveries', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const id = await create(workspace.owner);
    await test.put(workspace.owner, 'a.txt');
    await expect.poll(() => receiver.to(path).length).toBe(1);
    const { page } = await test.openAsReader(workspace, `/sharing/webhooks/${id}`);
    await refreshUntil(page, /Delivered/);
    expect(await page.getByRole('button', { name: 'Turn off' }).count()).toBe(0);
    await row(page, /Delivered/).click();
    await page.getByText('"a.txt"').first().waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });

  it('has no violation of axe and fits the window, light, dark and in forced colors', async () => {
    const user = await test.user();
    const id = await create(user, { url: `${receiver.url}${path}/${'long'.repeat(60)}`, description: 'd'.repeat(150) });
    await test.put(user, 'a.txt');
    const watched = await test.open(user, '/sharing/webhooks', { bypassCSP: true });
    const { page } = watched;
    await row(page, /ddd/).waitFor();
    await expectAccessible(watched);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('dialog', { name: 'Create webhook' }).waitFor();
    await expectAccessible(watched);
    await page.keyboard.press('Escape');
    await row(page, /ddd/).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/webhooks/${id}`);
    await refreshUntil(page, /Delivered/);
    await expectAccessible(watched);
    await row(page, /Delivered/).focus();
    await page.keyboard.press('Enter');
    await page.getByText('"a.txt"').first().waitFor();
    await expectAccessible(watched);
  });
});
