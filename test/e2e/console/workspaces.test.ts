// The section Workspaces: list, members, roles, settings; all pages with axe.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemberRecord } from '../../../server/service/identity/workspaces/members.js';
import type { RoleRecord } from '../../../server/service/identity/workspaces/roles.js';
import { createWorkspace } from '../../service/workspace-client.js';
import type { TestWorkspace } from '../../service/workspace-client.js';
import { chooseAction, dialogOf, expectShown } from './console-actions.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const openWorkspace = (workspace: TestWorkspace, page = '', options = {}) =>
  test.open(workspace.owner, `/workspaces/${workspace.id}${page}`, options);

describe('the list of workspaces', () => {
  it('explains what a workspace is, creates one, and opens it', async () => {
    const user = await test.user();
    const { page, consoleErrors } = await test.open(user);
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await page.getByRole('heading', { name: 'You have no workspaces' }).waitFor();
    await page.getByRole('button', { name: 'Create a workspace' }).click();
    await page.keyboard.type('Design');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Design', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/workspaces\/ws_\w+\/members$/);
    expect(await page.getByRole('link', { name: 'Members' }).getAttribute('aria-current')).toBe('page');
    await page.getByRole('button', { name: 'Storage: My storage' }).waitFor();
    await page.goBack();
    await page.getByRole('row', { name: /Design/ }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  it('shows the access to each workspace, and switches to its files', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    await test.put(workspace.owner, 'team.txt');
    const member = await workspace.member(['blob:read']);
    const { page } = await test.open(member, '/workspaces');
    await page.getByRole('row', { name: /Team.*Read only/ }).waitFor();
    await chooseAction(page, /Team/, 'Show its files');
    await page.getByRole('row', { name: /team\.txt/ }).waitFor();
    const denied = await workspace.member(['members:read']);
    const other = await test.open(denied, '/workspaces');
    await other.page.getByRole('row', { name: /Team.*None/ }).waitFor();
    await other.page.getByRole('row', { name: /Team/ }).getByRole('button').click();
    await expectShown(other.page.getByText('Your role lacks the permission blob:read'));
  });

  it('explains an unknown workspace', async () => {
    const { page } = await test.open(await test.user(), '/workspaces/ws_none/members');
    await page.getByRole('heading', { name: 'This workspace doesn’t exist' }).waitFor();
    await page.getByRole('link', { name: 'All workspaces' }).click();
    await expectShown(page.getByRole('heading', { name: 'You have no workspaces' }));
  });
});

describe('the members of a workspace', () => {
  it('changes the role and the expiry of a member, and removes the member', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['blob:read']);
    const { page } = await openWorkspace(workspace);
    const row = page.getByRole('row', { name: new RegExp(member.user.name) });
    await row.waitFor();
    await chooseAction(page, new RegExp(member.user.name), 'Change role or expiry');
    await dialogOf(page).getByLabel('Role').selectOption({ label: 'viewer' });
    await dialogOf(page).getByLabel('Access ends after').fill('2040-01-31');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Member changed').waitFor();
    await row.getByText('viewer').waitFor();
    await row.getByText(/Jan 31, 2040/).waitFor();
    const { response } = await workspace.call<{ members: MemberRecord[] }>('GET', '/members');
    expect(response.members[0]).toMatchObject({ role: 'viewer', expires_at: expect.stringMatching(/^2040-0[12]-/) as string });
    await chooseAction(page, new RegExp(member.user.name), 'Remove');
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect((await member.call('GET', `/v1/workspaces/${workspace.id}`)).status).toBe(404);
  });

  it('states a refused change in the dialog', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['blob:read']);
    const { page } = await openWorkspace(workspace);
    await chooseAction(page, new RegExp(member.user.name), 'Change role or expiry');
    await dialogOf(page).getByLabel('Access ends after').fill('2020-01-31');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await dialogOf(page).getByText('The day must be in the future').waitFor();
    expect(await dialogOf(page).getByLabel('Access ends after').getAttribute('aria-invalid')).toBe('true');
  });

  it('shows a member without permissions only the owner and the own membership, with reasons', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    await workspace.member(['members:read']);
    const member = await workspace.member(['blob:read']);
    const { page } = await test.open(member, `/workspaces/${workspace.id}`);
    await page.getByText('Your role lacks the permission members:read').waitFor();
    expect(await page.locator('tbody tr[data-index]').count()).toBe(2);
    await page.getByRole('row', { name: /You/ }).getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Leave the workspace' }).waitFor();
    expect(
      await page.getByRole('menuitem', { name: /Change role or expiry.*members:manage/s }).getAttribute('aria-disabled'),
    ).toBe('true');
    await page.keyboard.press('Escape');
    for (const [link, reason] of [
      ['Invites', 'members:manage'],
      ['Activity', 'activities:read'],
    ] as const) {
      await page.getByRole('link', { name: link }).click();
      await page.getByText(`Your role lacks the permission ${reason}`).waitFor();
    }
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByText('so you see only your own role').waitFor();
    expect(await page.getByRole('button', { name: 'Create a role' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('Only the owner can rename').waitFor();
    await page.getByRole('button', { name: 'Leave the workspace' }).click();
    await dialogOf(page).getByRole('button', { name: 'Leave the workspace' }).click();
    await page.getByRole('heading', { name: 'You have no workspaces' }).waitFor();
    expect((await member.call('GET', `/v1/workspaces/${workspace.id}`)).status).toBe(404);
  });
});

describe('the pages of a workspace', () => {
  it('show a new member when one of them opens, and when the tab becomes visible', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await openWorkspace(workspace, '/members');
    await page.getByRole('row', { name: /You/ }).waitFor();
    const { user: first } = await workspace.member(['blob:read']);
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('row', { name: new RegExp(first.email) }).waitFor();
    const { user: second } = await workspace.member(['blob:read']);
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));
    await expectShown(page.getByRole('row', { name: new RegExp(second.email) }));
  });

  it('stay as they are if the background refresh fails', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await openWorkspace(workspace, '/members');
    await page.getByRole('row', { name: /You/ }).waitFor();
    await page.route(`**/v1/workspaces/${workspace.id}`, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));
    await failed;
    expect(await page.getByRole('row', { name: /You/ }).count()).toBe(1);
  });

  it('do not include one that the address invents', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await openWorkspace(workspace, '/zz');
    await page.getByRole('heading', { name: 'This page doesn’t exist' }).waitFor();
    expect(page.url()).toMatch(/\/zz$/);
    await page.getByRole('link', { name: 'Members' }).click();
    await expectShown(page.getByRole('row', { name: /You/ }));
  });
});

describe('the roles of a workspace', () => {
  it('creates, changes and deletes a role', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await openWorkspace(workspace, '/roles');
    await page.getByRole('button', { name: 'Create a role' }).click();
    await dialogOf(page).getByLabel('Name').fill('viewer');
    await dialogOf(page).getByRole('button', { name: 'Create a role' }).click();
    await dialogOf(page).getByText('This name is taken').waitFor();
    await dialogOf(page).getByLabel('Name').fill('Editors');
    await dialogOf(page)
      .getByRole('checkbox', { name: /See and download files/ })
      .check();
    await dialogOf(page).getByRole('button', { name: 'Create a role' }).click();
    await page.getByRole('row', { name: /Editors.*blob:read/ }).waitFor();
    await chooseAction(page, /Editors/, 'Change');
    await dialogOf(page)
      .getByRole('checkbox', { name: /Upload, change and delete files/ })
      .check();
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Editors.*blob:read, blob:manage/ }).waitFor();
    const { response } = await workspace.call<{ roles: RoleRecord[] }>('GET', '/roles');
    expect(response.roles.find(({ name }) => name === 'Editors')?.permissions).toEqual(['blob:read', 'blob:manage']);
    await chooseAction(page, /Editors/, 'Delete');
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('row', { name: /Editors/ }).waitFor({ state: 'detached' });
  });

  it('lets a member grant only own permissions', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['members:read', 'members:manage', 'roles:manage']);
    const { page } = await test.open(member, `/workspaces/${workspace.id}/roles`);
    await page.getByRole('button', { name: 'Create a role' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('You can only choose permissions that you have').waitFor();
    expect(await dialog.getByRole('checkbox', { name: /See and download files/ }).isDisabled()).toBe(true);
    expect(await dialog.getByRole('checkbox', { name: /See members and roles/ }).isEnabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page
      .getByRole('row', { name: /^admin|admin/ })
      .first()
      .getByRole('button')
      .click();
    await page.getByRole('menuitem', { name: /Change.*permissions that you lack/s }).waitFor();
  });
});

describe('the settings of a workspace', () => {
  it('renames and deletes the workspace', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await openWorkspace(workspace, '/settings');
    await page.getByLabel('Name of the workspace').fill('Studio');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Studio', level: 1 }).waitFor();
    await page.getByText('You can transfer the workspace once it has a member').waitFor();
    await page.getByRole('button', { name: 'Delete the workspace' }).click();
    const confirm = dialogOf(page).getByRole('button', { name: 'Delete the workspace' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialogOf(page).getByLabel('Type “Studio” to confirm.').fill('Studio');
    await confirm.click();
    await page.getByRole('heading', { name: 'You have no workspaces' }).waitFor();
    expect((await workspace.call('GET')).status).toBe(404);
  });

  it('transfers the workspace to a member', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['blob:read']);
    const { page } = await openWorkspace(workspace, '/settings');
    await page.getByRole('button', { name: 'Transfer' }).click();
    await dialogOf(page).getByText('Open invites end').waitFor();
    await dialogOf(page).getByLabel('New owner').selectOption(member.user.id);
    await dialogOf(page).getByRole('button', { name: 'Transfer' }).click();
    await page.getByText(`${member.user.name} owns this workspace`).waitFor();
    await page.getByRole('button', { name: 'Leave the workspace' }).waitFor();
    const { response } = await member.call<{ owner_id: string }>('GET', `/v1/workspaces/${workspace.id}`);
    expect(response.owner_id).toBe(member.user.id);
  });
});

describe('the pages of a workspace', () => {
  it('shows an error with another attempt', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await test.open(workspace.owner, '/nothing');
    const pattern = `**/v1/workspaces/${workspace.id}`;
    await page.route(pattern, (route) => route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } }));
    await page.goto(`${test.service.url}/console/workspaces/${workspace.id}/members`);
    await page.getByRole('heading', { name: 'The service failed' }).waitFor();
    await page.unroute(pattern);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectShown(page.getByRole('heading', { name: 'Team', level: 1 }));
  });

  it('have no violation of axe and fit the window, light, dark and in forced colors', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['blob:read']);
    await workspace.call('POST', '/folders', { name: 'Photos', color: 'blue' });
    await workspace.call('POST', '/invites', { role_id: member.roleId });
    const watched = await openWorkspace(workspace, '', { bypassCSP: true });
    const { page } = watched;
    for (const [link, shown] of [
      ['Members', member.user.name],
      ['Roles', 'developer'],
      ['Invites', 'Everyone with the link'],
      ['Folders', 'Photos'],
      ['Activity', 'Member: joined'],
      ['Settings', 'Name of the workspace'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Pages of the workspace' }).getByRole('link', { name: link }).click();
      await page.getByText(shown).filter({ visible: true }).first().waitFor();
      await expectAccessible(watched);
    }
    await page.getByRole('button', { name: 'Transfer' }).click();
    await dialogOf(page).getByLabel('New owner').waitFor();
    await expectAccessible(watched);
  });
});
