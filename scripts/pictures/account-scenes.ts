import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { BlobService } from '../../server/service/index.js';
import { SCOPES } from '../../server/service/identity/scopes.js';
import type { Language } from '../../server/service/identity/users/user-fields.js';

const PASSWORD = 'violet anchor tunnel';
const BIDI_NAME = '\u202EgnisreveR\u2066 مرحبا بالعالم <b>Editor</b> of very long documents, photos and everything else';

/** A page in a browser, and the service behind it. */
export interface Visit {
  page: Page;
  language: Language;
  service: BlobService;
  url: string;
}

export type Scene = (visit: Visit) => Promise<void>;

let count = 0;

/** Creates a user with a session, and gives its cookie to the browser. */
async function signIn(
  { page, language, service, url }: Visit,
  { name = 'María-José Gonçalves' }: { name?: string } = {},
): Promise<{ id: string; account_id: string }> {
  const { core } = service;
  const email = `maria-jose.${++count}@example.org`;
  const { id, secret } = await core.write(async (query) => {
    const user = await core.users.create(query, { email, name, passwordHash: 'none', language });
    return { id: user.id, secret: await core.sessions.start(query, user.id, { ip: '127.0.0.1', userAgent: 'pictures' }) };
  });
  await page.context().addCookies([{ name: 'svc_session', value: secret, url }]);
  return (await core.users.findById(id))!;
}

/** Sends a request of the API in the page, with its session. */
async function call<T>({ page, url }: Visit, method: string, path: string, body?: object): Promise<T> {
  const response = await page.request.fetch(url + path, {
    method,
    headers: { Origin: url, 'Content-Type': 'application/json' },
    ...(body && { data: JSON.stringify(body) }),
  });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return ((await response.json()) as { response: T }).response;
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(value);
}

const submit = (page: Page) => page.locator('button').first().click();

/** Sends a form from a page of another origin. */
async function sendFromElsewhere(page: Page, action: string): Promise<void> {
  await page.goto('about:blank');
  await page.setContent(
    `<form method="post" action="${action}"><input name="email" value="ana@example.org"><button>Go</button></form>`,
  );
  await submit(page);
  await page.waitForURL(action);
}

/** Lets the page send whatever its fields contain. */
const skipValidation = (page: Page) =>
  page
    .locator('form')
    .first()
    .evaluate((form) => form.setAttribute('novalidate', ''));

/** Clients by their name. A network may register only some in a minute. */
const clients = new Map<string, string>();

async function registerClient({ page, url }: Visit, name: string, redirect: string): Promise<string> {
  const known = clients.get(name);
  if (known !== undefined) return known;
  const data = { client_name: name, redirect_uris: [redirect] };
  const response = await page.request.post(`${url}/oauth/register`, { data });
  const { client_id: id } = (await response.json()) as { client_id: string };
  clients.set(name, id);
  return id;
}

async function openConsent(
  visit: Visit,
  { name = 'Editor', redirect = 'https://tool.example.org/callback', scope = 'blob:read blob:write', changes = {} } = {},
): Promise<void> {
  const { page, url } = visit;
  const client_id = await registerClient(visit, name, redirect);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
    scope,
    state: 's',
    ...changes,
  });
  await page.goto(`${url}/oauth/authorize?${query.toString()}`);
}

/** Creates an invite of a workspace. The browser then has the session of another user. @returns its address */
async function inviteToWorkspace(visit: Visit, name = 'Team', inviter = 'Ana'): Promise<string> {
  await signIn(visit, { name: inviter });
  const { id } = await call<{ id: string }>(visit, 'POST', '/v1/workspaces', { name });
  const { roles } = await call<{ roles: { id: string }[] }>(visit, 'GET', `/v1/workspaces/${id}/roles`);
  const role = roles.at(-1)!;
  const { url } = await call<{ url: string }>(visit, 'POST', `/v1/workspaces/${id}/invites`, { role_id: role.id });
  await visit.page.context().clearCookies();
  return url;
}

/** States of a service without users. */
export const SETUP: Record<string, Scene> = {
  'setup-empty': async ({ page, url }) => void (await page.goto(`${url}/setup`)),
  'setup-linked': async ({ page, url }) => void (await page.goto(`${url}/setup#abcdefghijk`)),
  'setup-error': async ({ page, url, service }) => {
    await page.goto(`${url}/setup#${(await service.core.firstAdministrator.renewLink())!}`);
    await fill(page, { name: 'Ana', email: 'ana@example.org', password: 'sunshine' });
    await submit(page);
  },
  'setup-short': async ({ page, url, service }) => {
    await page.goto(`${url}/setup#${(await service.core.firstAdministrator.renewLink())!}`);
    await fill(page, { name: 'Ana', email: 'ana@example.org', password: 'short' });
    await skipValidation(page);
    await submit(page);
  },
  'setup-name': async ({ page, url, service }) => {
    await page.goto(`${url}/setup#${(await service.core.firstAdministrator.renewLink())!}`);
    await fill(page, { name: ' ', email: 'ana@example.org', password: PASSWORD });
    await submit(page);
  },
  'setup-email': async ({ page, url, service }) => {
    await page.goto(`${url}/setup#${(await service.core.firstAdministrator.renewLink())!}`);
    await fill(page, { name: 'Ana', email: 'ana', password: PASSWORD });
    await skipValidation(page);
    await submit(page);
  },
  'setup-code': async ({ page, url }) => {
    await page.goto(`${url}/setup#wrong-code`);
    await fill(page, { name: 'Ana', email: 'ana@example.org', password: PASSWORD });
    await submit(page);
  },
};

/** States of a service with users. */
export const SCENES: Record<string, Scene> = {
  'sign-in': async ({ page, url }) => void (await page.goto(`${url}/sign-in`)),
  'sign-in-wrong': async ({ page, url }) => {
    await page.goto(`${url}/sign-in?next=%2Fdocs`);
    await fill(page, { email: `ana.${++count}@example.org`, password: 'wrong password' });
    await submit(page);
  },
  'sign-in-throttled': async ({ page, url, service, language }) => {
    const email = `throttled-${language}@example.org`;
    // Ten attempts are counted, the eleventh is refused.
    for (let attempt = 0; attempt < 10; attempt++)
      await service.core.signIns.countAttempt(email, '127.0.0.1').catch(() => undefined);
    await page.goto(`${url}/sign-in`);
    await fill(page, { email, password: 'wrong password' });
    await submit(page);
  },
  'sign-in-other-origin': async ({ page, url }) => {
    await sendFromElsewhere(page, `${url}/sign-in`);
  },
  'signed-in': async (visit) => {
    await signIn(visit);
    await visit.page.goto(`${visit.url}/sign-in`);
  },
  'signed-in-next': async (visit) => {
    await signIn(visit, { name: 'أحمد ‮ (admin@example.org)' });
    await visit.page.goto(`${visit.url}/sign-in?next=%2Fdocs`);
  },
  'signed-out': async (visit) => {
    await signIn(visit);
    await visit.page.goto(`${visit.url}/sign-in`);
    await submit(visit.page);
  },
  'sign-out-other-origin': async (visit) => {
    const { page, url } = visit;
    await signIn(visit);
    await sendFromElsewhere(page, `${url}/sign-out`);
  },
  'invitation-empty': async ({ page, url }) => void (await page.goto(`${url}/invitation`)),
  'invitation-linked': async ({ page, url }) => void (await page.goto(`${url}/invitation#abcdef`)),
  'invitation-code': async ({ page, url }) => {
    await page.goto(`${url}/invitation#wrong-code`);
    await fill(page, { name: 'Ben', password: PASSWORD });
    await submit(page);
  },
  'invitation-empty-sent': async ({ page, url }) => {
    await page.goto(`${url}/invitation`);
    await skipValidation(page);
    await submit(page);
  },
  'invite-signed-out': async (visit) => void (await visit.page.goto(await inviteToWorkspace(visit))),
  invite: async (visit) => {
    const link = await inviteToWorkspace(visit, 'Team');
    await signIn(visit);
    await visit.page.goto(link);
  },
  'invite-long': async (visit) => {
    const link = await inviteToWorkspace(
      visit,
      '\u202E‮مشروع Very long workspace name without an end'.slice(0, 48),
      'Ana \u202Ekcab',
    );
    await signIn(visit);
    await visit.page.goto(link);
    await visit.page.locator('summary').click();
  },
  'invite-off': async (visit) => {
    const link = await inviteToWorkspace(visit);
    await signIn(visit);
    await call(visit, 'PATCH', '/v1/users/me', { workspace_invites_enabled: false });
    await visit.page.goto(link);
    await visit.page.locator('[value=accept]').click();
  },
  'invite-joined': async (visit) => {
    const link = await inviteToWorkspace(visit);
    await signIn(visit);
    await visit.page.goto(link);
    await visit.page.locator('[value=accept]').click();
  },
  'invite-declined': async (visit) => {
    const link = await inviteToWorkspace(visit);
    await signIn(visit);
    await visit.page.goto(link);
    await visit.page.locator('[value=decline]').click();
  },
  'invite-invalid': async ({ page, url }) => void (await page.goto(`${url}/workspace-invites/svcinv_0`)),
  'invite-invalid-user': async (visit) => {
    await signIn(visit);
    await visit.page.goto(`${visit.url}/workspace-invites/svcinv_0`);
  },
  'invite-joined-stranger': async (visit) => {
    await signIn(visit);
    await visit.page.goto(`${visit.url}/workspace-invites/joined/unknown`);
  },
  consent: async (visit) => {
    await signIn(visit);
    await openConsent(visit);
  },
  'consent-all': async (visit) => {
    await signIn(visit);
    await openConsent(visit, { name: 'Everything', redirect: 'http://127.0.0.1:33418/callback', scope: SCOPES.join(' ') });
  },
  'consent-long': async (visit) => {
    await signIn(visit);
    await openConsent(visit, { name: BIDI_NAME, redirect: `https://${'long-label.'.repeat(12)}xn--exmple-cua.org/callback` });
  },
  'consent-unbroken': async (visit) => {
    await signIn(visit);
    await openConsent(visit, { name: 'W'.repeat(60), redirect: 'com.example.app:/callback' });
  },
  'consent-none': async (visit) => {
    await signIn(visit);
    await openConsent(visit);
    for (const box of await visit.page.locator('[type=checkbox]').all()) await box.uncheck();
    await visit.page.locator('[value=allow]').click();
  },
  'consent-replace': async (visit) => {
    const { account_id: accountId } = await signIn(visit);
    const { core } = visit.service;
    for (let key = 0; key < 100; key++) {
      const name = `Key ${key}`;
      const failure = await core.keys.create(accountId, { name, scopes: ['blob:read'] }).then(
        () => false,
        () => true,
      );
      if (failure) break;
    }
    await openConsent(visit);
  },
  'consent-expired': async (visit) => {
    await signIn(visit);
    await openConsent(visit);
    await visit.page.locator('[name=consent]').evaluate((field) => ((field as HTMLInputElement).value = 'svccs_old'));
    await visit.page.locator('[value=allow]').click();
    await visit.page.locator('summary').click();
  },
  'consent-no-session': async (visit) => {
    await signIn(visit);
    await openConsent(visit);
    await visit.page.context().clearCookies();
    await visit.page.locator('[value=allow]').click();
    await visit.page.locator('summary').click();
  },
  'consent-unknown-client': async ({ page, url }) => {
    await page.goto(`${url}/oauth/authorize?client_id=svcc_unknown&redirect_uri=https%3A%2F%2Fa.example%2F&response_type=code`);
    await page.locator('summary').click();
  },
  'consent-bad-scope': async (visit) => {
    await signIn(visit);
    await openConsent(visit, { changes: { scope: 'blob:fly' } });
  },
  'unknown-page': async ({ page, url }) => void (await page.goto(`${url}/signin`)),
};
