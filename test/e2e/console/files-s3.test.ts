// S3 addresses and commands in the section Files.
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findAxeViolations } from '../chromium-page.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

describe('the S3 addresses of a selection', () => {
  it('name the bucket and every key, with commands that a shell reads as they are meant', async () => {
    const user = await test.user();
    const name = `it's "$(touch hacked)" & more.txt`;
    await test.put(user, name);
    await test.put(user, 'folder/x.txt');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await page.getByLabel(`Select ${name}`).check();
    await page.getByLabel('Select folder').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'S3' }).click();
    const { response } = await user.call<{ bucket: string }>('GET', '/v1/s3-credentials');
    const addresses = await page.getByRole('region', { name: 'S3 address' }).textContent();
    expect(addresses).toBe(`s3://${response.bucket}/folder/\ns3://${response.bucket}/${name}`);
    const command = (await page.getByRole('region', { name: 'Download with svc-blob' }).textContent())!;
    const words = execFileSync('sh', ['-c', command.replaceAll('svc-blob', 'printf "<%s>"')], { encoding: 'utf8' });
    expect(words).toBe(
      `<cp><--endpoint><https://S3-ADDRESS><-r><s3://${response.bucket}/folder/><./folder>` +
        `<cp><--endpoint><https://S3-ADDRESS><s3://${response.bucket}/${name}><.>`,
    );
    await page.getByText('Replace S3-ADDRESS').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for folder' }).click();
    await page.getByRole('menuitem', { name: 'S3 address' }).click();
    await page.getByRole('region', { name: 'AWS' }).getByText('--recursive').waitFor();
  });
});
