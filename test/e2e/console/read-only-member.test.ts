// A member who may only read: what works in each section, and what is not offered. The tests of a feature have its refused changes.
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../service/workspace-client.js';
import type { TestWorkspace } from '../../service/workspace-client.js';
import { chooseAction, dialogNamed, expectReadOnly, expectShown, rowNamed } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;
let workspace: TestWorkspace;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

beforeEach(async () => {
  workspace = await createWorkspace(test.service, await test.user());
  await test.put(workspace.owner, 'a.txt', 'text of a', 'text/csv');
  await test.put(workspace.owner, 'folder/report.txt', 'text of the report', 'text/csv');
});

describe('a member who may only read', () => {
  it('searches, previews and downloads files, and sees their S3 addresses', async () => {
    const { page } = await test.openAsReader(workspace, '/files');
    await rowNamed(page, 'a.txt').waitFor();
    for (const name of ['New folder', 'Request files', 'Upload'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await chooseAction(page, 'a.txt', 'Details');
    await page.getByText('text of a').waitFor();
    await expectShown(dialogNamed(page, 'a.txt').getByText('may read files, but not change them'));
    await page.keyboard.press('Escape');

    for (const name of ['a.txt', 'folder']) await page.getByLabel(`Select ${name}`).check();
    const toolbar = page.getByRole('toolbar');
    for (const name of ['Move', 'Copy', 'Delete']) expect(await toolbar.getByRole('button', { name }).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      toolbar.getByRole('button', { name: 'Download' }).click(),
    ]);
    const archive = (await readFile(await download.path())).toString('latin1');
    for (const part of ['text of a', 'folder/report.txt']) expect(archive).toContain(part);
    await toolbar.getByRole('button', { name: 'S3' }).click();
    const bucket = await test.accountOf(workspace.owner);
    await page.getByRole('region', { name: 'S3 address' }).getByText(`s3://${bucket}/folder/`).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Grid' }).click();
    await page.getByLabel('Search by name or ID').fill('report');
    await page.keyboard.press('Enter');
    await expectShown(page.getByRole('gridcell', { name: 'folder/report.txt' }));
  });

  it('follows running jobs, but cannot stop them', async () => {
    const { page } = await test.openAsReader(workspace, '/files');
    const job = { id: 'job_1', type: 'copy', state: 'running', total: 10, done: 3, failed: 0 };
    await page.route('**/v1/jobs?*', (route) => route.fulfill({ json: { response: { jobs: [job] } } }));
    await page.reload();
    await page.getByText('Copying: 3 of 10 files').waitFor();
    expect(await page.getByRole('button', { name: /^Stop/ }).count()).toBe(0);
  });

  it('looks at rules, and at domains with their DNS record', async () => {
    await workspace.owner.call('POST', '/v1/rules', { body: { prefix: 'folder', max_size: 1 } });
    await workspace.owner.call('POST', '/v1/domains', { body: { host: 'files.example.org' } });
    const { page } = await test.openAsReader(workspace, '/sharing/rules');
    await expectReadOnly(page, { row: 'folder/', create: 'Create rule', action: 'Delete rule' });
    await page.getByRole('link', { name: 'Domains' }).click();
    await expectReadOnly(page, { row: 'files.example.org', create: 'Add domain', action: 'Remove domain' });
    await rowNamed(page, /files\.example\.org/).click();
    await expectShown(page.getByText('_svc-blob.files.example.org'));
  });

  it('has own folders and favorites in the workspace', async () => {
    const member = await workspace.member(['blob:read']);
    const { page } = await test.open(member, `/workspaces/${workspace.id}/folders`);
    await page.getByRole('button', { name: 'Create a folder' }).click();
    await dialogNamed(page, 'Create a folder').getByLabel('Name').fill('Mine');
    await dialogNamed(page, 'Create a folder').getByRole('button', { name: 'Create a folder' }).click();
    await page.getByRole('heading', { name: /Mine/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Add a favorite' }).count()).toBe(1);
  });
});
