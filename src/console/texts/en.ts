import type { ConsoleTexts } from './console-texts.js';

export const en: ConsoleTexts = {
  product: 'Blob Storage',
  navigation: 'Main navigation',
  openNavigation: 'Open the navigation',
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  refresh: 'Refresh',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser didn’t copy it. Select the text and copy it with the keyboard.',
  more: 'More actions',
  loading: 'Loading…',
  skipToContent: 'Skip to content',
  sections: {
    files: 'Files',
    overview: 'Overview',
    access: 'Access',
    sharing: 'Sharing',
    workspaces: 'Workspaces',
    activity: 'Activity',
    profile: 'Profile',
  },
  workspace: {
    label: 'Storage',
    own: 'My storage',
    manage: 'Manage workspaces',
    showOwn: 'Show my storage',
    readOnlyReason:
      'Your role in this workspace may read files, but not change them. Ask the owner for the permission blob:manage.',
    noAccess: {
      title: 'You can’t see this storage',
      text: 'Your role in this workspace lacks the permission blob:read. Ask the owner of the workspace for it.',
    },
    unknown: {
      title: 'This workspace doesn’t exist',
      text: 'It was deleted, or you’re no longer a member. Choose another storage.',
    },
  },
  account: {
    menu: 'Account',
    signOut: 'Sign out',
    theme: 'Appearance',
    themes: { system: 'Like the system', light: 'Light', dark: 'Dark' },
    help: 'Keyboard shortcuts',
    reference: 'API reference',
  },
  quota: {
    used: (used, total) => `${used} of ${total} used`,
    usedUnlimited: (used) => `${used} used`,
    nearlyFull: 'Your storage is nearly full. Delete files, or ask an administrator for more space.',
    full: 'Your storage is full. Uploads fail until you delete files.',
  },
  session: {
    title: 'Your session has ended',
    text: 'Sign in in another tab, then return here. Nothing on this page is lost.',
    signIn: 'Sign in in a new tab',
  },
  offline: 'You’re offline. What you see may be out of date.',
  notFound: { title: 'This page doesn’t exist', text: 'Check the address, or continue with your files.', action: 'Go to files' },
  loadFailed: { title: 'This page couldn’t be loaded', text: 'Check your connection, then try again.' },
  help: {
    title: 'Keyboard shortcuts',
    general: 'Everywhere',
    keys: { help: 'Show this help', search: 'Search', close: 'Close a dialog or a menu' },
    table: 'In a list',
    tableKeys: {
      move: 'Move up and down',
      ends: 'Go to the first or last row',
      open: 'Open',
      select: 'Select',
      range: 'Extend the selection',
      all: 'Select all loaded rows',
      menu: 'Open the actions of a row',
    },
  },
  confirm: { typeName: (name) => `Type “${name}” to confirm.` },
  table: {
    selectAll: 'Select all loaded rows',
    selectRow: (name) => `Select ${name}`,
    actionsOf: (name) => `Actions for ${name}`,
  },
  errors: {
    network: { title: 'The service can’t be reached', advice: 'Check your connection, then try again.' },
    busy: { title: 'The service is busy', advice: 'Wait a few seconds, then try again.' },
    rate: {
      title: 'Too many requests',
      advice: (seconds) => (seconds === 1 ? 'Try again in 1 second.' : `Try again in ${seconds} seconds.`),
    },
    session: { title: 'Your session has ended', advice: 'Sign in again, then try again.' },
    denied: { title: 'You may not do this', advice: 'Ask the owner of the workspace for the permission.' },
    missing: { title: 'This no longer exists', advice: 'Someone may have deleted or moved it. Refresh the page.' },
    full: { title: 'The storage is full', advice: 'Delete files, or ask an administrator for more space.' },
    failed: {
      title: 'The service failed',
      advice: (requestId) =>
        requestId === ''
          ? 'Try again. If it happens again, tell an administrator.'
          : `Try again. If it happens again, tell an administrator this request id: ${requestId}`,
    },
    other: { title: 'That didn’t work' },
  },
  problems: null,
};
