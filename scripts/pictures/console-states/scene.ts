import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import type { Language } from '../../../server/service/identity/users/user-fields.js';

export const PEOPLE = ['owner', 'reader', 'newcomer', 'crowded'] as const;
/** `owner` has some of everything, `reader` may only read the storage of the workspace, `crowded` has many files and long names. */
export type Person = (typeof PEOPLE)[number];

/** A page of the console, and what happens before its picture is taken. */
export interface Scene {
  /** After `/console/`. `WORKSPACE` stands for the id of the sample workspace, `WEBHOOK` for that of the webhook with deliveries. */
  path: string;
  /** @default owner */
  person?: Person;
  /** @default en-us */
  language?: Language;
  /** Runs before the page is opened, such as to replace responses. */
  prepare?(page: Page): Promise<unknown>;
  act?(page: Page): Promise<unknown>;
  /** Whether the picture has the page below the window too. */
  isWhole?: boolean;
  options?: BrowserContextOptions;
}

export type Scenes = Readonly<Record<string, Scene>>;

/** Leaves requests without a response. */
export const hold = (pattern: string | RegExp) => (page: Page) => page.route(pattern, () => {});

/** Responds to requests with a JSON body. */
export const respond =
  (pattern: string | RegExp, body: object, status = 200) =>
  (page: Page) =>
    page.route(pattern, (route: Route) => route.fulfill({ status, json: body }));

export const fail = (pattern: string | RegExp, status = 500, code = 'INTERNAL_SERVER_ERROR') =>
  respond(pattern, { code, message: 'Something failed.', details: {} }, status);

export const dialogOf = (page: Page) => page.locator('console-dialog').last();

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();

/** Presses a button of the open dialog. */
export const pressInDialog = (page: Page, name: string | RegExp) => dialogOf(page).getByRole('button', { name }).last().click();

export const openMenuOf = (page: Page, row: string) =>
  page
    .getByRole('button', { name: `Actions for ${row}`, exact: true })
    .first()
    .click();

/** Chooses an action in the menu of a row. */
export async function choose(page: Page, row: string, action: string): Promise<void> {
  await openMenuOf(page, row);
  await page.getByRole('menuitem', { name: action }).click();
}
