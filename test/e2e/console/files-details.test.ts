// The details of a file: its fields and its preview.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../../src/protocol/types.js';
import { FakeClamd, TEST_VIRUS } from '../../support/fake-clamd.js';
import { findAxeViolations } from '../chromium-page.js';
import { chooseAction, expectShown } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

const openFile = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog', { name }).waitFor();
};

describe('the fields of a file', () => {
  it('change what browsers do with it, its expiry and its cache, and warn before it becomes public', async () => {
    const user = await test.user();
    const { id } = await test.put(user, 'a.txt', 'hello', 'text/csv');
    const watched = await test.open(user, '', { bypassCSP: true });
    const { page } = watched;
    await openFile(page, 'a.txt');
    await page.getByLabel('In a browser').selectOption('attachment');
    await page.getByLabel('Name when saved').fill('Relatório "1".csv');
    await page.getByLabel('Deleted on').fill('2030-01-31T12:30');
    await page.getByLabel('Cache-Control').fill('max-age=60');
    expect(await page.getByText('without signing in').count()).toBe(0);
    await page.getByLabel('Visibility').selectOption('public');
    await page.getByText('without signing in').waitFor();
    expect(await findAxeViolations(watched)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'Public' }).waitFor();
    const { response } = await user.call<FileRecord>('GET', `/v1/files/${id}`);
    expect(response).toMatchObject({
      visibility: 'public',
      cache_control: 'max-age=60',
      expires_at: await page.evaluate(() => new Date('2030-01-31T12:30').toISOString()),
    });
    const headers = (await fetch(response.url!)).headers;
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Relat_rio _1_.csv"; filename*=UTF-8''Relat%C3%B3rio%20%221%22.csv`,
    );
    await openFile(page, 'a.txt');
    expect(await page.getByLabel('Name when saved').inputValue()).toBe('Relatório "1".csv');
    await page.getByLabel('In a browser').selectOption('default');
    for (const label of ['Name when saved', 'Deleted on', 'Cache-Control']) await page.getByLabel(label).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await user.call<FileRecord>('GET', `/v1/files/${id}`)).response).toMatchObject({
      visibility: 'public',
      cache_control: null,
      content_disposition: null,
      expires_at: null,
    });
  });

  it('are copied on a page without TLS, which has no clipboard API', async () => {
    const user = await test.user();
    const { id } = await test.put(user, 'a.txt');
    const { page, context } = await test.open(user, '/nothing');
    await context.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto(`${test.service.url}/console/files?file=${id}`);
    await page.getByRole('button', { name: 'Copy ID' }).click();
    await page.getByRole('button', { name: 'Copied ID' }).waitFor();
    await page.getByLabel('Metadata').focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('Metadata').inputValue()).toBe(id);
  });

  it('send only what was changed', async () => {
    const user = await test.user();
    const { id } = await test.put(user, 'a.txt', 'hello', 'text/csv');
    const { page, requests } = await test.open(user);
    await openFile(page, 'a.txt');
    // Another tab changes another field.
    await user.call('PATCH', `/v1/files/${id}`, { body: { metadata: { team: 'one' } } });
    await page.getByLabel('Cache-Control').fill('max-age=9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await user.call<FileRecord>('GET', `/v1/files/${id}`)).response).toMatchObject({
      cache_control: 'max-age=9',
      metadata: { team: 'one' },
    });
    const sent = requests.filter((request) => request.startsWith('PATCH')).length;
    await openFile(page, 'a.txt');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(sent);
  });
});

describe('the preview', () => {
  it('reads the start of a long text only, and no half character', async () => {
    const user = await test.user();
    await test.put(user, 'long.txt', `x${'é'.repeat(200_000)}`, 'text/csv');
    const { page } = await test.open(user);
    await openFile(page, 'long.txt');
    const preview = page.locator('pre.preview');
    await preview.getByText('Download the file to read the rest').waitFor();
    const text = (await preview.textContent())!;
    expect(text.length).toBeLessThan(40_000);
    expect(text).not.toContain('\ufffd');
  });

  it('shows the first page of a PDF if the service makes pictures, and never the PDF itself', async () => {
    const user = await test.user();
    await test.put(user, 'a.pdf', '%PDF-1.4', 'application/pdf');
    const { page, requests } = await test.open(user);
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.route('**/content?*', (route) => route.fulfill({ contentType: 'image/png', body: picture }));
    await page.getByRole('button', { name: 'a.pdf', exact: true }).click();
    await page.getByRole('img', { name: 'a.pdf' }).waitFor();
    const link = page.getByRole('link', { name: 'Open the PDF in a new tab' });
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual(['_blank', 'noopener']);
    await page.unroute('**/content?*');
    await page.route('**/content?*', (route) => route.fulfill({ status: 501, json: {} }));
    await page.reload();
    await link.waitFor();
    expect(await page.getByRole('img', { name: 'a.pdf' }).count()).toBe(0);
    expect(requests.filter((request) => request.endsWith('/content'))).toEqual([]);
  });

  it('reports a text that cannot be read, and reads it again the next time', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt', 'hello', 'text/csv');
    const { page } = await test.open(user);
    await page.route('**/content', (route) => route.abort());
    await openFile(page, 'a.txt');
    await page.getByText('The file couldn’t be read.').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/content');
    await openFile(page, 'a.txt');
    await expectShown(page.locator('pre.preview').getByText('hello'));
  });

  it('has the controls of the browser for video and audio, and says when a picture is broken', async () => {
    const user = await test.user();
    await test.put(user, 'a.mp4', 'no video', 'video/mp4');
    await test.put(user, 'b.png', 'no picture', 'image/png');
    const { page } = await test.open(user);
    await openFile(page, 'a.mp4');
    await page.getByText('The file couldn’t be read.').waitFor();
    expect(await page.locator('video[controls]').count()).toBe(1);
    await page.keyboard.press('Escape');
    await openFile(page, 'b.png');
    await page.getByText('The file couldn’t be read.').waitFor();
  });
});

describe('with a virus scanner, a file', () => {
  let scanned: ConsoleTest;
  let scanner: FakeClamd;

  beforeAll(async () => {
    scanner = await FakeClamd.start();
    scanned = await ConsoleTest.start({ scan: scanner.address });
  });
  afterAll(async () => {
    await scanned?.stop();
    scanner.stop();
  });

  /** Lets scans wait. @returns ends their wait */
  function holdScans(): () => void {
    const { answer } = scanner;
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    scanner.answer = async (...file) => held.then(() => answer(...file));
    return () => {
      release();
      scanner.answer = answer;
    };
  }

  it('that waits for its scan has no thumbnail, which appears when the scan ends', async () => {
    const user = await scanned.user();
    const clean = await scanned.put(user, 'clean.png', 'x', 'image/png');
    await expect.poll(async () => (await user.call<FileRecord>('GET', `/v1/files/${clean.id}`)).response.scan).toBe('clean');
    const release = holdScans();
    const { id } = await scanned.put(user, 'picture.png', 'x', 'image/png');
    const { page, requests } = await scanned.open(user);
    const thumbnailsOf = (file: string) => requests.filter((request) => request.includes(`${file}/content`));
    await page.getByRole('button', { name: 'Grid' }).click();
    // The thumbnails of a page are requested together.
    await expect.poll(() => thumbnailsOf(clean.id).length).toBeGreaterThan(0);
    expect(thumbnailsOf(id)).toEqual([]);
    release();
    await expect.poll(() => thumbnailsOf(id).length).toBeGreaterThan(0);
  });

  it('that waits for its scan says so in its details, which show its content and keep changes when the scan ends', async () => {
    const user = await scanned.user();
    const release = holdScans();
    await scanned.put(user, 'note.csv', 'Hello, reader', 'text/csv');
    const { page } = await scanned.open(user);
    await openFile(page, 'note.csv');
    await expectShown(page.getByText('The virus scanner hasn’t checked this file yet'));
    await page.getByLabel('Cache-Control').fill('no-cache');
    release();
    await expectShown(page.getByText('Hello, reader'));
    expect(await page.getByText('The virus scanner hasn’t checked this file yet').count()).toBe(0);
    expect(await page.getByLabel('Cache-Control').inputValue()).toBe('no-cache');
  });

  it('that is infected is marked, and its details say what was found instead of a preview and a download', async () => {
    const user = await scanned.user();
    const files = [
      await scanned.put(user, 'a.txt', TEST_VIRUS, 'text/csv'),
      await scanned.put(user, 'picture.png', TEST_VIRUS, 'image/png'),
    ];
    for (const { id } of files)
      await expect
        .poll(async () => (await user.call<FileRecord>('GET', `/v1/files/${id}`)).response.scan, { timeout: 10_000 })
        .toBe('infected');
    const clean = await scanned.put(user, 'clean.png', 'x', 'image/png');
    const { page, requests } = await scanned.open(user);
    const contentsOf = ({ id }: FileRecord) => requests.filter((request) => request.includes(`${id}/content`));
    await page.getByRole('button', { name: 'Grid' }).click();
    // The thumbnails of a page are requested together.
    await expect.poll(() => contentsOf(clean).length).toBeGreaterThan(0);
    for (const name of [/a\.txt.*Infected/, /picture\.png.*Infected/]) await page.getByRole('gridcell', { name }).waitFor();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.getByRole('row', { name: /a\.txt.*Infected/ }).waitFor();
    await openFile(page, 'a.txt');
    await expectShown(page.getByText(`The virus scanner found ${FakeClamd.signature} in this file`));
    expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
    expect(files.flatMap(contentsOf)).toEqual([]);
  });

  it('that is infected is named as the reason if it cannot be shared', async () => {
    const user = await scanned.user();
    await scanned.put(user, 'a.txt');
    const { page } = await scanned.open(user);
    await page.route('**/v1/shares', (route) => route.fulfill({ status: 403, json: { code: 'FILE_INFECTED', details: {} } }));
    await chooseAction(page, 'a.txt', 'Share');
    await page.getByRole('button', { name: 'Create link' }).click();
    await expectShown(page.getByRole('alert').getByText('The virus scanner found something in it'));
  });
});
