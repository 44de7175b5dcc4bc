import type { Page } from 'playwright-core';

/** The newest dialog. Its content is outside of its shadow tree. */
export const dialogOf = (page: Page) => page.locator('console-dialog').last();

/** Chooses an action in the menu of a row. */
export async function chooseAction(page: Page, row: string | RegExp, action: string): Promise<void> {
  await page
    .getByRole('row', { name: row })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}
