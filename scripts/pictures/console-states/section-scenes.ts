import { choose, dialogOf, openMenuOf, press, pressInDialog, respond } from './scene.js';
import type { Scenes } from './scene.js';

/** A domain whose record has the value of an earlier one. */
const OUTDATED_DOMAIN = {
  status: 'pending',
  checked_at: '2030-01-31T12:00:00.000Z',
  dns_record: { type: 'TXT', name: '_svc-blob.downloads.example.com', value: 'svc-blob=new', found: ['svc-blob=old'] },
};

/** Overview, Sharing and Access. */
export const STORAGE_SECTIONS: Scenes = {
  overview: { path: 'overview', isWhole: true },
  'overview-table': {
    path: 'overview',
    isWhole: true,
    act: (page) => page.getByText('Show as a table').first().click(),
  },
  'overview-empty': { path: 'overview', person: 'newcomer' },
  shares: { path: 'sharing/shares' },
  'shares-long': { path: 'sharing/shares', person: 'crowded' },
  'shares-empty': { path: 'sharing/shares', person: 'newcomer' },
  'shares-menu': { path: 'sharing/shares', act: (page) => openMenuOf(page, 'Photos of the summer') },
  'shares-create': { path: 'sharing/shares', act: (page) => press(page, 'Create share') },
  'shares-create-invalid': {
    path: 'sharing/shares',
    act: async (page) => {
      await press(page, 'Create share');
      await dialogOf(page).getByLabel('Color of the page').fill('red');
      await page.locator('#field-prefix').fill('Photos');
      await pressInDialog(page, 'Create link');
      await dialogOf(page).locator('.error').first().waitFor();
    },
  },
  'shares-show': { path: 'sharing/shares', act: (page) => page.getByRole('row', { name: /Photos of the summer/ }).click() },
  'shares-delete': { path: 'sharing/shares', act: (page) => choose(page, 'Photos of the summer', 'Delete share') },
  'shares-read-only': { path: 'sharing/shares?workspace=WORKSPACE', person: 'reader' },
  rules: { path: 'sharing/rules' },
  'rules-empty': { path: 'sharing/rules', person: 'newcomer' },
  'rules-create': { path: 'sharing/rules', act: (page) => press(page, 'Create rule') },
  domains: { path: 'sharing/domains' },
  'domains-long': { path: 'sharing/domains', person: 'crowded' },
  'domains-empty': { path: 'sharing/domains', person: 'newcomer' },
  'domains-record': { path: 'sharing/domains', act: (page) => page.getByRole('row', { name: /downloads/ }).click() },
  'domains-record-differs': {
    path: 'sharing/domains',
    prepare: respond(/\/v1\/domains\/\w+$/, { response: OUTDATED_DOMAIN }),
    act: async (page) => {
      await page.getByRole('row', { name: /downloads/ }).click();
      await pressInDialog(page, 'Check now');
    },
  },
  webhooks: { path: 'sharing/webhooks' },
  'webhooks-long': { path: 'sharing/webhooks', person: 'crowded' },
  'webhooks-create': { path: 'sharing/webhooks', act: (page) => press(page, 'Create webhook') },
  'webhooks-create-invalid': {
    path: 'sharing/webhooks',
    act: async (page) => {
      await press(page, 'Create webhook');
      await dialogOf(page).getByLabel('Address').fill('http://10.1.2.3/');
      await pressInDialog(page, 'Create webhook');
      await dialogOf(page).locator('.error').first().waitFor();
    },
  },
  webhook: { path: 'sharing/webhooks/WEBHOOK' },
  'webhook-menu': {
    path: 'sharing/webhooks/WEBHOOK',
    act: (page) => page.locator('webhook-page .tools').getByRole('button', { name: 'More actions' }).click(),
  },
  'webhook-delivery': {
    path: 'sharing/webhooks/WEBHOOK',
    act: (page) =>
      page
        .getByRole('row', { name: /file\.created/ })
        .first()
        .click(),
  },
  keys: { path: 'access/keys' },
  'keys-long': { path: 'access/keys', person: 'crowded' },
  'keys-empty': { path: 'access/keys', person: 'newcomer' },
  'keys-in-workspace': { path: 'access/keys?workspace=WORKSPACE' },
  'keys-details': { path: 'access/keys', act: (page) => page.getByRole('row', { name: /Backup server/ }).click() },
  'keys-create': { path: 'access/keys', act: (page) => press(page, 'Create API key') },
  'keys-create-invalid': {
    path: 'access/keys',
    act: async (page) => {
      await press(page, 'Create API key');
      await pressInDialog(page, 'Create key');
      await dialogOf(page).locator('.error').first().waitFor();
    },
  },
  'keys-created': {
    path: 'access/keys',
    person: 'newcomer',
    act: async (page) => {
      await press(page, 'Create API key');
      await dialogOf(page).getByLabel('Name').fill('Backup server');
      await pressInDialog(page, 'Create key');
      await page.getByText('can’t be shown again').waitFor();
    },
  },
  'keys-rotate': { path: 'access/keys', act: (page) => choose(page, 'Backup server', 'Give a new secret') },
  'keys-revoke': { path: 'access/keys', act: (page) => choose(page, 'Backup server', 'Revoke') },
  s3: { path: 'access/s3' },
  's3-create': { path: 'access/s3', act: (page) => press(page, 'Create key pair') },
  's3-created': {
    path: 'access/s3',
    person: 'crowded',
    act: async (page) => {
      await press(page, 'Create key pair');
      await dialogOf(page).getByLabel('Name').fill('Laptop');
      await pressInDialog(page, 'Create key pair');
      await page.getByText('can’t be shown again').waitFor();
    },
  },
  tokens: { path: 'access/tokens' },
  'tokens-create': { path: 'access/tokens', act: (page) => press(page, 'Create upload token') },
  'tokens-hidden': { path: 'access/tokens?workspace=WORKSPACE', person: 'reader' },
  apps: { path: 'access/apps' },
  'apps-empty': { path: 'access/apps', person: 'newcomer' },
};

/** Workspaces and Profile. */
export const PEOPLE_SECTIONS: Scenes = {
  workspaces: { path: 'workspaces' },
  'workspaces-empty': { path: 'workspaces', person: 'newcomer' },
  'workspaces-create': { path: 'workspaces', act: (page) => press(page, 'Create a workspace') },
  members: { path: 'workspaces/WORKSPACE/members' },
  'members-reader': { path: 'workspaces/WORKSPACE/members', person: 'reader' },
  'members-change': { path: 'workspaces/WORKSPACE/members', act: (page) => choose(page, 'Rui Costa', 'Change role or expiry') },
  'members-invite': { path: 'workspaces/WORKSPACE/members', act: (page) => press(page, 'Invite') },
  roles: { path: 'workspaces/WORKSPACE/roles' },
  'roles-create': { path: 'workspaces/WORKSPACE/roles', act: (page) => press(page, 'Create a role') },
  invites: { path: 'workspaces/WORKSPACE/invites' },
  'invites-created': {
    path: 'workspaces/WORKSPACE/invites',
    act: async (page) => {
      await press(page, 'Invite');
      await dialogOf(page).getByRole('radio', { name: 'Everyone who has the link' }).check();
      await pressInDialog(page, 'Create the link');
      await dialogOf(page).getByText('until it is used up').waitFor();
    },
  },
  folders: { path: 'workspaces/WORKSPACE/folders' },
  'folders-create': { path: 'workspaces/WORKSPACE/folders', act: (page) => press(page, 'Create a folder') },
  activity: { path: 'workspaces/WORKSPACE/activity' },
  'activity-details': {
    path: 'workspaces/WORKSPACE/activity',
    act: (page) => page.getByRole('button', { name: 'Workspace: created' }).click(),
  },
  'activity-no-match': { path: 'workspaces/WORKSPACE/activity?action=share.deleted' },
  'activity-denied': { path: 'workspaces/WORKSPACE/activity', person: 'reader' },
  settings: { path: 'workspaces/WORKSPACE/settings', isWhole: true },
  'settings-delete': { path: 'workspaces/WORKSPACE/settings', act: (page) => press(page, 'Delete the workspace') },
  'settings-reader': { path: 'workspaces/WORKSPACE/settings', person: 'reader' },
  'own-activity': { path: 'activity' },
  'own-activity-filters': {
    path: 'activity?action=share.created',
    act: async (page) => {
      const filters = page.getByRole('button', { name: /^Filters/ });
      if (await filters.isVisible()) await filters.click();
    },
  },
  profile: { path: 'profile', isWhole: true },
  'profile-invalid': {
    path: 'profile',
    isWhole: true,
    act: async (page) => {
      await page.getByLabel('Name').fill('  ');
      await press(page, 'Save');
      await page.getByRole('alert').first().waitFor();
    },
  },
};
