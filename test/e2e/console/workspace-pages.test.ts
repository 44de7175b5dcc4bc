// The section Workspaces: invites, folders, activity.
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace, expectStatus } from '../../service/workspace-client.js';
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

describe('the invites of a workspace', () => {
  it('invites one person by address, shows the link once, and ends the invite', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const invited = await test.user('Rui');
    const { page } = await openWorkspace(workspace, '/invites');
    await page.getByRole('heading', { name: 'There are no open invites' }).waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialogOf(page).getByLabel('Email address', { exact: true }).fill(invited.user.email);
    await dialogOf(page).getByLabel('Role').selectOption({ label: 'viewer' });
    await dialogOf(page).getByRole('button', { name: 'Create the link' }).click();
    const link = await dialogOf(page).getByRole('textbox', { name: 'Link' }).inputValue();
    expect(link).toMatch(/\/workspace-invites\/svcinv_/);
    await dialogOf(page).getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: new RegExp(`${invited.user.email}.*viewer.*0 of 1`) }).waitFor();
    await chooseAction(page, new RegExp(invited.user.email), 'End the invite');
    await dialogOf(page).getByRole('button', { name: 'End the invite' }).click();
    await page.getByRole('heading', { name: 'There are no open invites' }).waitFor();
    const token = link.split('/').at(-1)!;
    expect((await invited.call('GET', `/v1/workspaces/invites/${token}`)).status).toBe(404);
  });

  it('creates a link for several people, which works', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { page } = await openWorkspace(workspace, '/members');
    await page.getByText('Nobody else is a member yet').waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialogOf(page).getByRole('radio', { name: 'Everyone who has the link' }).check();
    await dialogOf(page).getByLabel('How many people may join').fill('2');
    await dialogOf(page).getByRole('button', { name: 'Create the link' }).click();
    const link = await dialogOf(page).getByRole('textbox', { name: 'Link' }).inputValue();
    await dialogOf(page).getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /Everyone with the link.*0 of 2/ }).waitFor();
    const guest = await test.user('Gil');
    const invite = await test.open(guest, '');
    await invite.page.goto(link);
    await invite.page.getByRole('button', { name: /Accept|Join/ }).click();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.reload();
    await expectShown(page.getByRole('row', { name: /Gil/ }));
  });
});

describe('the folders of a workspace', () => {
  it('keeps buckets in folders and among the favorites', async () => {
    const user = await test.user();
    const workspace = await createWorkspace(test.service, user);
    const { page } = await openWorkspace(workspace, '/folders');
    const bucket = await mainBucket(workspace);
    await page.getByRole('heading', { name: 'You have no folders here' }).waitFor();
    await page.getByRole('button', { name: 'Create a folder' }).click();
    await dialogOf(page).getByLabel('Name').fill('Photos');
    await dialogOf(page).getByLabel('Color').selectOption('Blue');
    await dialogOf(page).getByRole('button', { name: 'Create a folder' }).click();
    await page.getByRole('region', { name: /Photos/ }).waitFor();
    await page.getByRole('button', { name: 'Create a folder' }).click();
    await dialogOf(page).getByLabel('Name').fill('Photos');
    await dialogOf(page).getByRole('button', { name: 'Create a folder' }).click();
    await page.getByRole('alert').getByText('already have a folder of this name').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a favorite' }).click();
    await dialogOf(page).getByLabel('Name of the bucket').fill('no-such-bucket');
    await dialogOf(page).getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('There is no bucket of this name').waitFor();
    await dialogOf(page).getByLabel('Name of the bucket').fill(bucket);
    await dialogOf(page).getByRole('button', { name: 'Add', exact: true }).click();
    const favorites = page.getByRole('region', { name: 'Favorites' });
    await favorites.getByRole('listitem').getByText(bucket).waitFor();
    await favorites.getByRole('button', { name: `Actions for ${bucket}` }).click();
    await page.getByRole('menuitem', { name: 'Move to Photos' }).click();
    const folder = page.getByRole('region', { name: /Photos/ });
    await folder.getByRole('listitem').getByText(bucket).waitFor();
    await folder.getByRole('button', { name: `Actions for ${bucket}` }).click();
    await page.getByRole('menuitem', { name: 'Take out of the folder' }).click();
    await folder.getByText('Empty').waitFor();
    await favorites.getByRole('button', { name: `Actions for ${bucket}` }).click();
    await page.getByRole('menuitem', { name: 'Remove from favorites' }).click();
    await favorites.getByText('Add buckets that you use often').waitFor();
    await folder.getByRole('button', { name: 'Actions for Photos' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await expectShown(page.getByRole('heading', { name: 'You have no folders here' }));
  });
});

/** The name of the bucket of the owner. */
async function mainBucket({ owner }: TestWorkspace): Promise<string> {
  const row = await test.service.service.core.write((query) =>
    query
      .selectFrom('buckets')
      .innerJoin('users', 'users.account_id', 'buckets.account_id')
      .select('buckets.name')
      .where('users.id', '=', owner.user.id)
      .where('buckets.is_main', '=', 1)
      .executeTakeFirstOrThrow(),
  );
  return row.name;
}

describe('the activity of a workspace', () => {
  it('lists, filters, shows details, and exports', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const member = await workspace.member(['blob:read']);
    const { page } = await openWorkspace(workspace, '/activity');
    await page.getByRole('row', { name: /Member: joined/ }).waitFor();
    await page.getByRole('row', { name: /Workspace: created/ }).waitFor();
    await page.getByLabel('Action').selectOption('Role: all');
    await page.getByRole('row', { name: /Role: created/ }).waitFor();
    await page.getByRole('row', { name: /Workspace: created/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('action')).toBe('workspace_role');
    await page.getByLabel('Person').selectOption(member.user.name);
    await page.getByRole('heading', { name: 'No entry fits the filters' }).waitFor();
    await page.getByRole('button', { name: 'Reset the filters' }).click();
    await page.getByRole('row', { name: /Workspace: created/ }).waitFor();
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByRole('heading', { name: 'No entry fits the filters' }).waitFor();
    await page.getByRole('button', { name: 'Reset the filters' }).click();
    await page.getByRole('button', { name: 'Workspace: created' }).click();
    await dialogOf(page).getByText('workspace.created').waitFor();
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`activities-${workspace.id.replaceAll(/\W/g, '')}.csv`);
  });

  it('finds old entries of one action below a folder, also after a reload, and exports only these', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const share = async (path: string) => {
      await test.put(workspace.owner, path);
      expectStatus(await workspace.owner.call('POST', `/v1/shares${workspace.query}`, { body: { path } }), 201);
    };
    await share('clients/acme/offer.pdf');
    await share('clients/other/offer.pdf');
    // More entries than two pages of the list have.
    for (let n = 0; n < 220; n++) await workspace.call('PUT', '', { name: `Name ${n}` });
    const { page } = await openWorkspace(workspace, '/activity');
    await page
      .getByRole('row', { name: /Workspace: renamed/ })
      .first()
      .waitFor();
    await page.getByLabel('Action').selectOption('Share: created');
    await page.getByRole('row', { name: /clients\/other/ }).waitFor();
    await page.getByLabel('File or folder').fill('/clients/acme/');
    await page.getByLabel('File or folder').press('Enter');
    const onlyAcme = async () => {
      await page.getByRole('row', { name: /clients\/acme/ }).waitFor();
      await page.getByRole('row', { name: /clients\/other/ }).waitFor({ state: 'detached' });
    };
    await onlyAcme();
    await page.reload();
    await onlyAcme();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('clients/acme/offer.pdf');
  });
});

describe('the dialogs of a workspace', () => {
  it('have no violation of axe and fit the window', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    const { user } = await workspace.member(['blob:read']);
    const watched = await openWorkspace(workspace, '/members', { bypassCSP: true });
    const { page } = watched;
    const look = async (label: string) => {
      await dialogOf(page).getByLabel(label).first().waitFor();
      await expectAccessible(watched);
      await page.keyboard.press('Escape');
      await page.locator('console-dialog').waitFor({ state: 'detached' });
    };
    await chooseAction(page, new RegExp(user.name), 'Change role or expiry');
    await look('Access ends after');
    await page.getByRole('button', { name: 'Invite' }).click();
    await look('Email address');
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('button', { name: 'Create a role' }).click();
    await look('Name');
    await page.getByRole('link', { name: 'Folders' }).click();
    await page.getByRole('button', { name: 'Create a folder' }).click();
    await look('Color');
  });

  it.each([
    ['pt-br', ['Membros', 'Funções', 'Convites', 'Pastas', 'Atividade', 'Configurações'], 'Função: criação'],
    ['es-es', ['Miembros', 'Roles', 'Invitaciones', 'Carpetas', 'Actividad', 'Ajustes'], 'Rol: creación'],
  ] as const)('speak the language of the user, as all pages do: %s', async (language, pages, action) => {
    const workspace = await createWorkspace(test.service, await test.user());
    await workspace.role(['blob:read']);
    await workspace.owner.call('PATCH', '/v1/users/me', { body: { language } });
    const { page, consoleErrors } = await openWorkspace(workspace);
    for (const title of pages) {
      await page.getByRole('link', { name: title, exact: true }).click();
      await page.getByRole('heading', { name: title, level: 2, exact: true }).waitFor();
      if (title.startsWith('Ati') || title.startsWith('Acti')) await page.getByRole('row', { name: action }).waitFor();
    }
    expect(consoleErrors).toEqual([]);
  });
});
