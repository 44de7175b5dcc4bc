// People without a membership: signed-in users and visitors.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../service/workspace-client.js';
import type { TestWorkspace } from '../../service/workspace-client.js';
import { recordResponses } from '../chromium-page.js';
import { chooseAction, dialogOf, rowNamed } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

/** Requests that the sections send at least. */
const CALLS = `
  GET: domains files files/{id} files/{id}/content jobs rules s3-credentials shares stats stats/daily stats/folders
  GET: upload-tokens webhooks workspaces/{id} workspaces/{id}/activities workspaces/{id}/invites
  POST: domains folders jobs rules s3-credentials shares upload-tokens webhooks
  POST: workspaces/{id}/folders workspaces/{id}/invites workspaces/{id}/roles
  PATCH: files/{id}`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [method, paths] = line.trim().split(': ') as [string, string];
    return paths.split(' ').map((path) => `${method} /v1/${path}`);
  });

/** Addresses of all sections in a workspace. */
const addressesIn = ({ id }: TestWorkspace, file: string): string[] => [
  `files?workspace=${id}`,
  `files/secret?file=${file}&workspace=${id}`,
  `files?name=hidden&workspace=${id}`,
  ...['overview', 'sharing/shares', 'sharing/rules', 'sharing/domains', 'sharing/webhooks'].map(
    (path) => `${path}?workspace=${id}`,
  ),
  ...['access/keys', 'access/s3', 'access/tokens'].map((path) => `${path}?workspace=${id}`),
  ...['members', 'roles', 'invites', 'folders', 'activity', 'settings'].map((page) => `workspaces/${id}/${page}`),
];

/** A request of the console, without the query. */
interface Call {
  method: string;
  url: string;
  body: object | undefined;
}

/** Records the requests of a page to the API that name a workspace. Those with an upload token are not requests of the session. */
function recordCalls(page: Page, workspaceId: string): Map<string, Call> {
  const calls = new Map<string, Call>();
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!url.pathname.startsWith('/v1/') || !url.href.includes(workspaceId) || request.headers()['authorization']) return;
    const route = url.pathname.replaceAll(/(?<=\/)\w+_\w{8,}/g, '{id}');
    const body = request.postData();
    const call = {
      method: request.method(),
      url: url.pathname + url.search,
      body: body === null ? undefined : (JSON.parse(body) as object),
    };
    calls.set(`${call.method} ${route}`, call);
  });
  return calls;
}

/** The field of the open dialog with a label. */
const fieldOf = (page: Page, label: string) =>
  dialogOf(page).getByLabel(label).and(page.locator('input:not([type=radio])')).first();

/** Presses a button, fills the form that it opens, sends it, and closes what it shows then. */
async function sendForm(page: Page, open: string, submit: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
  await page.getByRole('button', { name: open, exact: true }).first().click();
  for (const [label, value] of Object.entries(values)) await fieldOf(page, label).fill(value);
  const sent = page.waitForResponse((response) => response.request().method() !== 'GET' && response.ok());
  await dialogOf(page).getByRole('button', { name: submit, exact: true }).click();
  await sent;
  while ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
}

/** Makes a change in each section of a workspace, as its owner. */
async function changeEachSection(page: Page, { id }: TestWorkspace): Promise<void> {
  // A load ends what the last form shows.
  const open = (path: string) => page.goto(`${test.service.url}/console/${path}`);
  await open(`files?workspace=${id}`);
  await sendForm(page, 'New folder', 'Create', { Name: 'new' });
  await sendForm(page, 'Request files', 'Create link');
  await chooseAction(page, 'shown.txt', 'Details');
  await dialogOf(page).getByLabel('Cache-Control').fill('max-age=60');
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await chooseAction(page, 'shown.txt', 'Delete');
  await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
  await rowNamed(page, 'shown.txt').waitFor({ state: 'detached' });
  await open(`sharing/rules?workspace=${id}`);
  await sendForm(page, 'Create rule', 'Create rule', { Folder: 'secret' });
  await open(`sharing/domains?workspace=${id}`);
  await sendForm(page, 'Add domain', 'Add domain', { Domain: 'files.example.org' });
  await open(`sharing/webhooks?workspace=${id}`);
  await sendForm(page, 'Create webhook', 'Create webhook', { Address: 'https://example.org/hook' });
  await open(`access/s3?workspace=${id}`);
  await sendForm(page, 'Create key pair', 'Create key pair', { Name: 'Laptop' });
  await open(`access/tokens?workspace=${id}`);
  await sendForm(page, 'Create upload token', 'Create token', { Uses: '2' });
  await open(`workspaces/${id}/roles`);
  await sendForm(page, 'Create a role', 'Create a role', { Name: 'reader' });
  await open(`workspaces/${id}/invites`);
  await sendForm(page, 'Invite', 'Create the link', { 'Email address': 'ana@example.org' });
  await open(`workspaces/${id}/folders`);
  await sendForm(page, 'Create a folder', 'Create a folder', { Name: 'Mine' });
}

describe('a person without a membership', () => {
  it('sees nothing of a workspace, and is sent to the sign-in page without a session', async () => {
    const workspace = await createWorkspace(test.service);
    const { id: file } = await test.put(workspace.owner, 'secret/hidden-from-strangers.txt');
    const stranger = await test.open(await test.user());
    const responses = recordResponses(stranger.page);
    for (const address of addressesIn(workspace, file)) {
      await stranger.page.goto(`${test.service.url}/console/${address}`);
      await stranger.page.getByRole('heading', { name: 'This workspace doesn’t exist' }).waitFor();
      const visited = await fetch(`${test.service.url}/console/${address}`);
      expect(new URL(visited.url).pathname).toBe('/sign-in');
      expect(new URL(visited.url).searchParams.get('next')).toBe(`/console/${address}`);
    }
    expect(responses.filter((body) => body.includes('hidden-from-strangers'))).toEqual([]);
  });

  it('is refused all requests that the sections send to the API', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { id: file } = await test.put(workspace.owner, 'secret/hidden-from-strangers.txt', 'x', 'text/csv');
    await test.put(workspace.owner, 'shown.txt');
    const { page } = await test.open(workspace.owner);
    const calls = recordCalls(page, workspace.id);
    const open = (address: string) => page.goto(`${test.service.url}/console/${address}`);
    for (const address of addressesIn(workspace, file)) {
      await open(address);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await expect.poll(() => page.locator('main [aria-busy=true]').count()).toBe(0);
    }
    // These are sent after their page is shown.
    const isSent = (call: string) => expect.poll(() => calls.has(call), { timeout: 20_000 }).toBe(true);
    await open(`files/secret?file=${file}&workspace=${workspace.id}`);
    await isSent('GET /v1/files/{id}/content');
    await open(`workspaces/${workspace.id}/activity`);
    await isSent('GET /v1/workspaces/{id}/activities');
    await open(`overview?workspace=${workspace.id}`);
    for (const part of ['', '/daily', '/folders']) await isSent(`GET /v1/stats${part}`);
    await changeEachSection(page, workspace);
    expect(CALLS.filter((call) => !calls.has(call))).toEqual([]);

    const stranger = await test.user();
    for (const [name, { method, url, body }] of calls) {
      const asStranger = await stranger.call(method, url, body && { body });
      expect([name, asStranger.status, asStranger.error.code]).toEqual([name, 404, 'WORKSPACE_NOT_FOUND']);
      const asVisitor = await test.service.call(method, url, { credential: null, ...(body && { body }) });
      expect([name, asVisitor.status, asVisitor.error.code]).toEqual([name, 401, 'AUTH_TOKEN_MISSING']);
    }
  });
});
