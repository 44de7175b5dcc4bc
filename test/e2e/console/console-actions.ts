import type { Page } from 'playwright-core';

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
