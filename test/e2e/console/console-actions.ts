import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The newest dialog. Its content is outside of its shadow tree. */
export const dialogOf = (page: Page) => page.locator('console-dialog').last();

/** A dialog with its content, which lies outside of its shadow tree. */
export const dialogNamed = (page: Page, name: string | RegExp) =>
  page.locator('console-dialog').filter({ has: page.getByRole('dialog', { name }) });

export const rowNamed = (page: Page, name: string | RegExp) => page.getByRole('row', { name });

/** Reads a text to copy. */
export const readCopyText = (page: Page, label: string) => page.getByLabel(label, { exact: true }).innerText();

/** Chooses an action in the menu of a row. */
export async function chooseAction(page: Page, row: string | RegExp, action: string): Promise<void> {
  await page
    .getByRole('row', { name: row })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Opens a place of the console as a link does, which costs less than loading the page again. @param path after `/console/` */
export const visit = (page: Page, path: string): Promise<void> =>
  page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href });
    document.body.append(link);
    link.click();
    link.remove();
  }, `/console/${path}`);

/** Asserts that the page shows an element within the time of Playwright. */
export const expectShown = (locator: Locator): Promise<void> => locator.waitFor();

/** Asserts that a list states why a member who may only read cannot change it. */
export async function expectReadOnly(page: Page, list: { row: string; create: string; action: string }): Promise<void> {
  await rowNamed(page, new RegExp(list.row)).waitFor();
  await page.getByText('may read files, but not change them').waitFor();
  expect(await page.getByRole('button', { name: list.create }).count()).toBe(0);
  await page.getByRole('button', { name: `Actions for ${list.row}` }).click();
  const action = page.getByRole('menuitem', { name: new RegExp(`^${list.action}`) });
  expect(await action.getAttribute('aria-disabled')).toBe('true');
  expect(await action.innerText()).toContain('blob:manage');
  await page.keyboard.press('Escape');
}
