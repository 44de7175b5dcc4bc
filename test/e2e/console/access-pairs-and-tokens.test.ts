// S3 key pairs and upload tokens in the section Access.
import { S3Client, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { UploadTokenRecord } from '../../../src/protocol/types.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { chooseAction, dialogNamed, expectReadOnly, readCopyText, rowNamed } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

const S3_PUBLIC_URL = 'https://s3.example.com';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start({ s3Port: 0, s3PublicUrl: S3_PUBLIC_URL });
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

describe('S3 key pairs', () => {
  it('creates a pair that works, and revokes it', async () => {
    const user = await test.user();
    await test.put(user, 'in/a.txt');
    const { page } = await test.open(user, '/access/keys');
    await page.getByRole('link', { name: 'S3 key pairs' }).click();
    await page.getByRole('button', { name: 'Create key pair' }).click();
    await page.getByLabel('Name').fill('Laptop');
    await page.getByLabel('Only this folder').fill('../x');
    const form = dialogNamed(page, 'Create key pair');
    await form.getByRole('button', { name: 'Create key pair' }).click();
    await expect.poll(() => page.getByLabel('Only this folder').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Only this folder').fill('in');
    await page.getByLabel('Valid').selectOption('for 7 days');
    await page.getByRole('checkbox', { name: 'Read only' }).check();
    await form.getByRole('button', { name: 'Create key pair' }).click();
    const lines = (await readCopyText(page, 'Environment')).split('\n');
    const values = Object.fromEntries(lines.map((line) => /^export (\w+)=(.*)$/.exec(line)!.slice(1) as [string, string]));
    expect(Object.keys(values)).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'AWS_ENDPOINT_URL']);
    expect(values['AWS_ENDPOINT_URL']).toBe(S3_PUBLIC_URL);
    expect(await readCopyText(page, 'Example')).toBe(`aws s3 ls s3://${await test.accountOf(user)}/in/`);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await rowNamed(page, /Laptop.*Read only.*in.*in 6 days/).waitFor();
    const s3 = new S3Client({
      endpoint: test.service.s3Url!,
      region: values['AWS_REGION']!,
      forcePathStyle: true,
      credentials: { accessKeyId: values['AWS_ACCESS_KEY_ID']!, secretAccessKey: values['AWS_SECRET_ACCESS_KEY']! },
    });
    const { response: files } = await user.call<{ files: { url: string | null }[] }>('GET', '/v1/files');
    expect(files.files).toHaveLength(1);
    const account = await test.accountOf(user);
    const list = () => s3.send(new ListObjectsV2Command({ Bucket: account, Prefix: 'in/' }));
    expect((await list()).KeyCount).toBe(1);
    await rowNamed(page, /Laptop/).focus();
    await page.keyboard.press('Enter');
    expect(await readCopyText(page, 'Access key ID')).toBe(values['AWS_ACCESS_KEY_ID']);
    await page.keyboard.press('Escape');
    await chooseAction(page, 'Laptop', 'Revoke');
    await dialogNamed(page, /Revoke/)
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByRole('heading', { name: 'No S3 key pairs yet' }).waitFor();
    await expect(list()).rejects.toThrow();
  });

  it('states why a member who may only read cannot change them', async () => {
    const workspace = await createWorkspace(test.service, await test.user());
    await workspace.owner.call('POST', '/v1/s3-credentials', { body: { name: 'Team pair' } });
    const { page } = await test.openAsReader(workspace, '/access');
    await expectReadOnly(page, { row: 'Team pair', create: 'Create key pair', action: 'Revoke' });
    await page.getByRole('link', { name: 'Upload tokens' }).click();
    await page.getByRole('heading', { name: 'You can’t see the upload tokens' }).waitFor();
  });
});

describe('upload tokens', () => {
  it('creates a token, counts its uses, and revokes it', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/access/tokens');
    await page.getByRole('button', { name: 'Create upload token' }).click();
    await page.getByLabel('Uses').fill('101');
    await page.getByLabel('Folder', { exact: true }).fill('inbox');
    await page.getByLabel('Largest file').fill('1 kB');
    await page.getByLabel('Allowed extensions').fill('txt, .PDF');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Use a whole number from 1 to 100.').waitFor();
    await page.getByLabel('Uses').fill('2');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await readCopyText(page, 'Token');
    expect(await readCopyText(page, 'Example')).toContain(token);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await rowNamed(page, /inbox.*2 of 2 left.*Active/).waitFor();
    expect((await test.service.upload('x', 'a.txt', { credential: token })).status).toBe(201);
    expect((await test.service.upload('x'.repeat(2000), 'a.txt', { credential: token })).status).toBe(413);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rowNamed(page, /inbox.*1 of 2 left/).click();
    const details = dialogNamed(page, 'inbox/');
    await details.getByText('txt, pdf').waitFor();
    await details.getByRole('button', { name: 'Revoke' }).click();
    await dialogNamed(page, /^Revoke the upload token/)
      .getByRole('button', { name: 'Revoke' })
      .click();
    await rowNamed(page, /inbox.*Revoked/).waitFor();
    expect((await test.service.upload('x', 'b.txt', { credential: token })).status).toBe(401);
  });

  it('creates a token for one file, and loads further pages', async () => {
    const user = await test.user();
    for (let n = 0; n < 120; n++) await user.call('POST', '/v1/upload-tokens', { body: { path: `bulk/${n}` } });
    const { page } = await test.open(user, '/access/tokens');
    await rowNamed(page, /bulk\/119/).waitFor();
    await page.getByRole('button', { name: 'Create upload token' }).click();
    await page.getByRole('radio', { name: 'One file' }).check();
    await page.getByLabel('Path of the file').fill('one.txt');
    await page.getByRole('checkbox', { name: 'Replace the file if it exists' }).check();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await rowNamed(page, /one\.txt/).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return rowNamed(page, /bulk\/0 /).count();
      })
      .toBe(1);
    const { response } = await user.call<{ upload_tokens: UploadTokenRecord[] }>('GET', '/v1/upload-tokens?limit=1');
    expect(response.upload_tokens[0]).toMatchObject({ path: 'one.txt', overwrite: true });
  });
});
