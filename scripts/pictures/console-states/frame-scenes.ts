import type { Page } from 'playwright-core';
import { FILES } from './file-scenes.js';
import { PEOPLE_SECTIONS, STORAGE_SECTIONS } from './section-scenes.js';
import { fail, hold, press, respond } from './scene.js';
import type { Scene, Scenes } from './scene.js';

const ALL_API = '**/v1/**';

const openDrawer = async (page: Page): Promise<void> => {
  const button = page.getByRole('button', { name: 'Open the navigation' });
  if (await button.isVisible()) await button.click();
};

const quota = (bytes: number) =>
  respond('**/v1/stats', { response: { bytes, quota_bytes: 10_000_000_000, files: 12, public_files: 0 } });

/** The frame: navigation, account, messages, and pages that cannot be shown. */
export const FRAME: Scenes = {
  drawer: { path: 'files', act: openDrawer },
  'drawer-long': { path: 'files', person: 'crowded', act: openDrawer },
  'storage-menu': {
    path: 'files',
    act: async (page) => {
      await openDrawer(page);
      await page
        .getByRole('button', { name: /^Storage:/ })
        .last()
        .click();
    },
  },
  'account-menu': {
    path: 'files',
    act: async (page) => {
      await openDrawer(page);
      await page
        .getByRole('button', { name: /^Account/ })
        .last()
        .click();
    },
  },
  help: { path: 'files', act: (page) => page.keyboard.press('?') },
  'skip-link': { path: 'files', act: (page) => page.keyboard.press('Tab') },
  offline: { path: 'files', act: (page) => page.context().setOffline(true) },
  'session-ended': {
    path: 'files',
    act: async (page) => {
      await press(page, 'New folder');
      await page.route(ALL_API, (route) => route.fulfill({ status: 401, json: { code: 'UNAUTHORIZED' } }));
      await page.locator('console-dialog').getByLabel('Name').fill('Plans');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
  'quota-nearly-full': { path: 'files', prepare: quota(9_400_000_000), act: openDrawer },
  'quota-banner': { path: 'files', prepare: quota(9_400_000_000) },
  'quota-full': { path: 'files', prepare: quota(10_000_000_000) },
  'not-found': { path: 'nothing' },
  'not-found-below': { path: 'profile/nothing' },
  'start-failed': { path: 'files', prepare: fail(ALL_API, 503, 'SERVICE_UNAVAILABLE') },
  'no-service': { path: 'files', prepare: (page) => page.route(ALL_API, (route) => route.abort()) },
  starting: { path: 'files', prepare: hold(ALL_API) },
  'code-failed': { path: 'sharing/shares', prepare: (page) => page.route(/sharing-.*\.js/, (route) => route.abort()) },
  'shares-loading': { path: 'sharing/shares', prepare: hold('**/v1/shares*') },
  'shares-error': { path: 'sharing/shares', prepare: fail('**/v1/shares*') },
  'overview-loading': { path: 'overview', prepare: hold('**/v1/stats*/**'), isWhole: true },
  'overview-error': { path: 'overview', prepare: fail('**/v1/stats/daily*') },
  'members-loading': { path: 'workspaces/WORKSPACE/members', prepare: hold('**/members*') },
  'members-error': { path: 'workspaces/WORKSPACE/members', prepare: fail('**/members*', 403, 'WORKSPACE_PERMISSION_DENIED') },
  'workspace-missing': { path: 'workspaces/ws_none/members' },
  'webhook-missing': { path: 'sharing/webhooks/wh_none' },
  'profile-loading': { path: 'profile', prepare: hold('**/v1/users/me/sessions') },
  'dialog-busy-error': {
    path: 'access/keys',
    prepare: (page) =>
      page.route('**/v1/users/me/api-keys', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 429, json: { code: 'RATE_LIMITED', details: { retry_after: 7 } } })
          : route.continue(),
      ),
    act: async (page) => {
      await press(page, 'Create API key');
      await page.locator('console-dialog').getByLabel('Name').fill('One');
      await page.locator('console-dialog').getByRole('button', { name: 'Create key' }).click();
      await page.locator('console-dialog').getByRole('alert').waitFor();
    },
  },
};

const pick = (all: Scenes, names: readonly string[], change: Partial<Scene>): Scenes =>
  Object.fromEntries(names.map((name) => [name, { ...all[name]!, ...change }]));

const EVERYTHING = { ...FILES, ...STORAGE_SECTIONS, ...PEOPLE_SECTIONS, ...FRAME };

/** Pages whose layout depends on the length of texts. Scenes with `act` find things by English texts, so few of them are here. */
const PLAIN = Object.keys(EVERYTHING).filter(
  (name) => EVERYTHING[name]!.act === undefined && !/long|loading|error|grid|many|deep/.test(name),
);

const SAMPLES = [
  'files',
  'files-grid',
  'files-selection',
  'files-menu',
  'files-details',
  'files-share',
  'overview',
  'shares',
  'shares-create',
  'keys',
  'keys-create',
  'activity',
  'members',
  'drawer',
  'account-menu',
];

/** Other languages, colors, directions and sizes. */
export const VARIANTS: Readonly<Record<string, Scenes>> = {
  'pt-br': pick(EVERYTHING, PLAIN, { language: 'pt-br' }),
  'es-es': pick(EVERYTHING, PLAIN, { language: 'es-es' }),
  forced: pick(EVERYTHING, SAMPLES, {}),
  rtl: pick(EVERYTHING, SAMPLES, {}),
  zoom: pick(EVERYTHING, SAMPLES, {}),
};
