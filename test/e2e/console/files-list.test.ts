// The list of the section Files: folders, pages, order, keyboard.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../service/session-client.js';
import { insertFiles } from '../../service/insert-files.js';
import { expectShown } from './console-actions.js';
import { ConsoleTest } from './open-console.js';

let test: ConsoleTest;

beforeAll(async () => {
  test = await ConsoleTest.start();
});
afterAll(() => test?.stop());
afterEach(() => test.closeWindows());

describe('the list of files', () => {
  it('opens folders by link and key, and returns with Back', async () => {
    const user = await test.user();
    await test.put(user, 'a #1/b%2F/c.txt');
    const { page } = await test.open(user);
    await page.getByRole('link', { name: 'a #1' }).click();
    await page.getByRole('row', { name: /b%2F/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /c\.txt/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/files/a%20%231/b%252F');
    expect(await page.getByRole('heading', { level: 1 }).evaluate((heading) => heading.matches(':focus'))).toBe(true);
    await page.reload();
    await page.getByRole('row', { name: /c\.txt/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'a #1' }).waitFor();
    await page.getByRole('navigation', { name: 'Folder path' }).getByRole('link', { name: 'Files' }).click();
    await page.getByRole('link', { name: 'a #1' }).waitFor();
  });

  it('lists folders before files, in the chosen order', async () => {
    const user = await test.user();
    for (const [path, size] of [
      ['z/x', 1],
      ['b.txt', 30],
      ['a.txt', 200],
      ['c.txt', 4],
    ] as const)
      await test.put(user, path, 'x'.repeat(size));
    const { page } = await test.open(user);
    const names = () => page.locator('tbody tr[data-index] .main').allInnerTexts();
    await page.getByRole('row', { name: /c\.txt/ }).waitFor();
    expect(await names()).toEqual(['z', 'a.txt', 'b.txt', 'c.txt']);
    await page.getByRole('button', { name: 'Size' }).click();
    await expect.poll(names).toEqual(['z', 'c.txt', 'b.txt', 'a.txt']);
    await page.getByRole('button', { name: 'Size' }).click();
    await expect.poll(names).toEqual(['z', 'a.txt', 'b.txt', 'c.txt']);
    expect(new URL(page.url()).search).toBe('?sort=size&order=desc');
  });

  it('renders only rows near the window, and loads pages while it scrolls', async () => {
    const user = await test.user();
    for (let start = 0; start < 450; start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, n) => test.put(user, `f/${String(start + n).padStart(4, '0')}.txt`)));
    const { page } = await test.open(user, '/files/f');
    await page.getByRole('row', { name: /0000\.txt/ }).waitFor();
    expect(await page.locator('tbody tr[data-index]').count()).toBeLessThan(60);
    const last = page.getByRole('row', { name: /0449\.txt/ });
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4000);
        return last.count();
      })
      .toBe(1);
    await last.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => page.getByRole('row', { name: /0000\.txt/ }).evaluate((row) => row.matches(':focus'))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.getByRole('row', { name: /0001\.txt/ }).evaluate((row) => row.matches(':focus'))).toBe(true);
  });

  it.each(['list', 'grid'])('scrolls as a %s only as far as the wheel turns', async (view) => {
    const user = await test.user();
    await insertFiles(test.service.service.core, {
      prefix: `${view}/m`,
      count: 400,
      account: await accountOf(test.service, user.user.id),
    });
    const { page } = await test.open(user, `/files/${view}?view=${view}`);
    await page.getByText('m0000001').first().waitFor();
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, 900);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThanOrEqual(900);
    const reached = await page.evaluate(async () => {
      for (let frame = 0; frame < 20; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
      return scrollY;
    });
    expect(reached).toBe(900);
  });

  it.each(['en-us', 'pt-br', 'es-es'])('shows the whole time of a file in %s', async (language) => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    await user.call('PATCH', '/v1/users/me', { body: { language } });
    const { page } = await test.open(user);
    const time = page
      .getByRole('row', { name: /a\.txt/ })
      .getByRole('gridcell', { name: /:\d\d/ })
      .last();
    await time.waitFor();
    expect(await time.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
  });

  it('shows a name that is cut as a tooltip', async () => {
    const user = await test.user();
    const name = `${'long-name-'.repeat(20)}.txt`;
    await test.put(user, name);
    await test.put(user, 'short.txt');
    const { page } = await test.open(user);
    await page.getByRole('button', { name, exact: true }).hover();
    expect(await page.getByTitle(name).count()).toBe(1);
    await page.getByRole('button', { name: 'short.txt', exact: true }).hover();
    expect(await page.getByTitle('short.txt').count()).toBe(0);
  });

  it('shows the first files of a large folder before the folders between them are found', async () => {
    const user = await test.user();
    await test.put(user, 'wide/first/x');
    await test.put(user, 'wide/~last/x');
    const account = await accountOf(test.service, user.user.id);
    await insertFiles(test.service.service.core, { prefix: 'wide/m', count: 60_000, account });
    const { page } = await test.open(user);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/files?*only=folders*cursor=*', async (route) => {
      await held;
      await route.continue();
    });
    const names = () => page.locator('tbody tr[data-index] .main').allInnerTexts();
    await page.getByRole('link', { name: 'wide' }).click();
    await page.getByRole('row', { name: /m0000001/ }).waitFor();
    expect((await names()).slice(0, 2)).toEqual(['first', 'm0000001']);

    release();

    await expect.poll(async () => (await names()).slice(0, 3)).toEqual(['first', '~last', 'm0000001']);
  });

  it('shows an error with another attempt', async () => {
    const user = await test.user();
    await test.put(user, 'a.txt');
    const { page } = await test.open(user, '/nothing');
    await page.route('**/v1/files?*', (route) => route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } }));
    await page.getByRole('link', { name: 'Go to files' }).click();
    await page.getByRole('heading', { name: 'The service failed' }).waitFor();
    await page.unroute('**/v1/files?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectShown(page.getByRole('row', { name: /a\.txt/ }));
  });
});
