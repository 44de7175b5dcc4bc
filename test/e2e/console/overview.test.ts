// The section Overview: figures, plots, rankings, and what needs attention.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../service/session-client.js';
import type { SignedInUser } from '../../service/session-client.js';
import { createWorkspace } from '../../service/workspace-client.js';
import { expectShown } from './console-actions.js';
import { expectAccessible } from './expect-accessible.js';
import { ConsoleTest } from './open-console.js';

const DAY_MS = 86_400_000;

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

/** Stores files, statistics of 29 days, a webhook that is suspended, a domain without its record and an unused key. */
async function busyUser(): Promise<SignedInUser> {
  const user = await test.user();
  await test.put(user, 'photos/2026/a.jpg', 'x'.repeat(4000), 'image/jpeg');
  await test.put(user, 'photos/b.jpg', 'x'.repeat(2000), 'image/jpeg');
  await test.put(user, 'reports/q1.pdf', 'x'.repeat(3000), 'application/pdf');
  await test.put(user, 'readme.txt', 'x', 'text/csv');
  const { core } = test.service.service;
  await core.blobs.dailySums.flush();
  const accountId = await accountOf(test.service, user.user.id);
  const key = await core.keys.create(accountId, { name: 'Old deploys', scopes: ['blob:read'] });
  await user.call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.org/in', events: ['file.created'] } });
  await user.call('POST', '/v1/domains', { body: { host: `files-${key.id.toLowerCase().replaceAll('_', '-')}.example.org` } });
  const today = Math.floor(Date.now() / DAY_MS);
  await core.write(async (query) => {
    await query
      .updateTable('api_keys')
      .set({ created_at: Date.now() - 91 * DAY_MS })
      .where('id', '=', key.id)
      .execute();
    await query
      .updateTable('webhooks')
      .set({ stopped_at: Date.now(), stop_reason: 'gone' })
      .where('account_id', '=', accountId)
      .execute();
    for (let n = 1; n < 30; n++)
      await query
        .insertInto('daily_sums')
        .values({
          account_id: accountId,
          day: today - n,
          requests: 1000 + n,
          errors: n,
          bytes_in: 1_000_000,
          bytes_out: 5_000_000,
          uploads: 10,
          failed_uploads: n === 2 ? 3 : 0,
          files: 40 - n,
          bytes: (40 - n) * 1_000_000,
        })
        .execute();
  });
  return user;
}

describe('the overview', () => {
  it('shows figures, plots with tables, and the largest folders and types', async () => {
    const user = await busyUser();
    const { page, consoleErrors } = await test.open(user);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(page.url()).toBe(`${test.service.url}/console/overview`);
    await page.locator('.figures').getByText('9.0 kB').or(page.locator('.figures').getByText('9 kB')).waitFor();
    const { response } = await user.call<{ days: { requests: number }[] }>('GET', '/v1/stats/daily?days=30');
    const earlier = response.days.slice(0, 29).reduce((sum, day) => sum + day.requests, 0);
    expect(earlier).toBe(29_435);
    await page
      .locator('.figures')
      .getByText(/^29,4\d\d$/)
      .waitFor();
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByText('Show as a table').click();
    const row = requests.getByRole('table', { name: 'Requests' }).getByRole('row').nth(2);
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['1,001']);
    await page.getByRole('region', { name: 'Largest types' }).getByText('image/jpeg').waitFor();
    const folders = page.getByRole('region', { name: 'Largest folders' });
    expect(await folders.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/photos\s+6\skB · 2 files/),
      expect.stringMatching(/reports\s+3\skB · 1 file/),
      expect.stringMatching(/Files outside of folders\s+1\sB · 1 file/),
    ]);
    await folders.getByRole('link', { name: 'photos' }).click();
    await page.getByRole('row', { name: /b\.jpg/ }).waitFor();
    expect(consoleErrors).toEqual([]);
  });

  it('shows the values of a day to the keyboard and the pointer', async () => {
    const { page } = await test.open(await busyUser(), '/overview');
    const plot = page.getByRole('group', { name: /^Requests: plot/ });
    await plot.focus();
    await page.keyboard.press('ArrowLeft');
    const values = page.getByRole('region', { name: 'Requests' }).locator('.total');
    await values.getByText('Requests: 1,001').waitFor();
    await page.keyboard.press('Home');
    await values.getByText('Requests: 1,029').waitFor();
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + box.width - 3, box.y + 30);
    await expect.poll(() => values.innerText()).not.toContain('1,029');
  });

  it('lists what needs attention', async () => {
    const { page } = await test.open(await busyUser(), '/overview');
    const list = page.getByRole('region', { name: 'Needs attention' });
    await list.getByText('3 uploads failed in the last 7 days').waitFor();
    await list.getByText(/The domain files-.* has no DNS record yet/).waitFor();
    await list.getByText('The webhook to hooks.example.org is suspended').waitFor();
    await list.getByText('The endpoint responded with 410').waitFor();
    const links = await list
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
    expect(links).toEqual(['/console/sharing/domains', '/console/sharing/webhooks', '/console/access']);
    await list.getByText('The API key “Old deploys” was not used for 90 days').waitFor();
  });

  it('moves nothing that is shown when the list of what needs attention arrives last', async () => {
    const user = await busyUser();
    const { page } = await test.open(user, '/profile');
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/webhooks', (route) => answered.then(() => route.continue()));
    await page.goto(`${test.service.url}/console/overview`);
    const figures = page.locator('.figures');
    await expect.poll(() => figures.textContent()).toContain('kB');
    expect(await figures.isVisible()).toBe(false);
    answer();
    await page.getByText('The webhook to hooks.example.org is suspended').waitFor();
    await figures.waitFor();
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
    expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.02);
  });

  it('explains an unused storage, and shows the quota of one that is nearly full', async () => {
    const user = await test.user();
    const { page } = await test.open(user, '/overview');
    await page.getByRole('heading', { name: 'Nothing to show yet' }).waitFor();
    await page.locator('overview-section').getByRole('link', { name: 'Go to files' }).click();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await test.put(user, 'a.bin', 'x'.repeat(950));
    const accountId = await accountOf(test.service, user.user.id);
    await test.service.service.core.write((query) =>
      query.updateTable('accounts').set({ quota_bytes: 1000 }).where('id', '=', accountId).execute(),
    );
    await page.goto(`${test.service.url}/console/overview`);
    await page.locator('.figures').getByText('950 B of 1 kB used').waitFor();
    await expectShown(page.getByText('The storage is nearly full'));
  });

  it('shows the storage of a workspace to a member who may only read, without keys of the member', async () => {
    const workspace = await createWorkspace(test.service, await busyUser());
    const member = await workspace.member(['blob:read']);
    const watched = await test.open(member, `/overview?workspace=${workspace.id}`);
    const { page, requests } = watched;
    await page.getByText('The webhook to hooks.example.org is suspended').waitFor();
    await page.getByRole('region', { name: 'Largest folders' }).getByText('photos').waitFor();
    expect(await page.getByText('Old deploys').count()).toBe(0);
    expect(requests.filter((request) => request.includes('api-keys'))).toEqual([]);
    await page.goto(`${test.service.url}/console/overview`);
    await page.getByRole('heading', { name: 'Nothing to show yet' }).waitFor();
    const denied = await workspace.member(['members:read']);
    const other = await test.open(denied, `/overview?workspace=${workspace.id}`);
    await other.page.getByRole('heading', { name: 'You can’t see this storage' }).waitFor();
  });

  it('waits for a breakdown that is being computed, and shows errors with another attempt', async () => {
    const user = await busyUser();
    const { page } = await test.open(user, '/nothing');
    let repeats = 0;
    await page.route('**/v1/stats/folders', (route) =>
      ++repeats < 3
        ? route.fulfill({ json: { response: { computed_at: null, computing: true, folders: [], types: [] } } })
        : route.continue(),
    );
    await page.route('**/v1/stats/daily?*', (route) => route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } }));
    await page.goto(`${test.service.url}/console/overview`);
    await page.getByRole('heading', { name: 'The service failed' }).waitFor();
    await page.unroute('**/v1/stats/daily?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Counting the files…').first().waitFor();
    await expectShown(page.getByRole('region', { name: 'Largest folders' }).getByText('photos'));
  });

  it('has no violation of axe and fits the window, light, dark and in forced colors', async () => {
    const watched = await test.open(await busyUser(), '/overview', { bypassCSP: true });
    const { page } = watched;
    await page.getByRole('region', { name: 'Largest folders' }).getByText('photos').waitFor();
    await page.getByText('Show as a table').first().click();
    await expectAccessible(watched);
  });
});
