import type { Page } from 'playwright-core';
import { choose, dialogOf, fail, hold, openMenuOf, press, pressInDialog, respond } from './scene.js';
import type { Scenes } from './scene.js';

const LIST = '**/v1/files?*';
const JOBS = /\/v1\/jobs(\/|$)/;
const JOB_LIST = '**/v1/jobs?*';

const select = async (page: Page, ...names: string[]): Promise<void> => {
  for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check({ force: true });
};

const job = (fields: object) => ({
  response: { id: 'job_1', state: 'running', total: 12_000, done: 3412, failed: 0, failures: [], error: null, ...fields },
});

/** Starts a job by deleting a file. */
async function startJob(page: Page): Promise<void> {
  await choose(page, 'Welcome.md', 'Delete');
  await pressInDialog(page, 'Delete');
}

async function upload(page: Page): Promise<void> {
  await press(page, 'Upload');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Files' }).click();
  const buffer = Buffer.alloc(300_000);
  await (
    await chooser
  ).setFiles(
    ['Interview of the first day.mp4', 'Notes.txt', 'Budget.xlsx'].map((name) => ({ name, mimeType: 'text/plain', buffer })),
  );
  await page.locator('upload-panel').getByText('Notes.txt').waitFor();
}

/** The section Files: lists, states, menus and dialogs. */
export const FILES: Scenes = {
  files: { path: 'files' },
  'files-folder': { path: 'files/Reports/2026' },
  'files-grid': { path: 'files/Photos?view=grid' },
  'files-many': { path: 'files/Many', person: 'crowded', act: async (page) => page.mouse.wheel(0, 900) },
  'files-long-names': { path: 'files', person: 'crowded' },
  'files-long-names-grid': { path: 'files?view=grid', person: 'crowded' },
  'files-deep': {
    path: encodeURI(
      'files/Relatório consolidado de atividades e resultados financeiros do terceiro trimestre de 2026 (versão final revisada)/Uma pasta dentro de outra pasta com um nome comprido/deep/deeper',
    ),
    person: 'crowded',
  },
  'files-empty': { path: 'files', person: 'newcomer' },
  'files-empty-folder': { path: 'files/Nothing' },
  'files-loading': { path: 'files', prepare: hold(LIST) },
  'files-loading-grid': { path: 'files?view=grid', prepare: hold(LIST) },
  'files-error': { path: 'files', prepare: fail(LIST) },
  'files-busy': { path: 'files', prepare: fail(LIST, 503, 'SERVICE_UNAVAILABLE') },
  'files-no-match': { path: 'files?q=nothing-here' },
  'files-search': { path: 'files?q=a', act: (page) => page.getByText('Size and date').click() },
  'files-read-only': { path: 'files?workspace=WORKSPACE', person: 'reader' },
  'files-read-only-menu': {
    path: 'files?workspace=WORKSPACE',
    person: 'reader',
    act: (page) => openMenuOf(page, 'Welcome.md'),
  },
  'files-no-workspace': { path: 'files?workspace=ws_none' },
  'files-menu': { path: 'files', act: (page) => openMenuOf(page, 'Welcome.md') },
  'files-upload-menu': { path: 'files', act: (page) => press(page, 'Upload') },
  'files-selection': { path: 'files', act: (page) => select(page, 'Documents', 'Photos', 'Welcome.md') },
  'files-selection-all': {
    path: 'files/Many',
    person: 'crowded',
    act: (page) => page.getByLabel('Select all loaded rows').check(),
  },
  'files-selection-grid': { path: 'files/Photos?view=grid', act: (page) => select(page, 'Dunes.png', 'Lake.png') },
  'files-details': { path: 'files/Photos', act: (page) => press(page, 'Sunrise.png') },
  'files-details-whole': {
    path: 'files/Photos',
    act: async (page) => {
      await press(page, 'Sunrise.png');
      await dialogOf(page).getByLabel('Metadata').scrollIntoViewIfNeeded();
    },
  },
  'files-details-text': { path: 'files', act: (page) => press(page, 'Welcome.md') },
  'files-details-error': {
    path: 'files',
    act: async (page) => {
      await press(page, 'Welcome.md');
      await dialogOf(page).getByLabel('Metadata').fill('Wrong');
      await pressInDialog(page, 'Save');
    },
  },
  'files-details-read-only': {
    path: 'files?workspace=WORKSPACE',
    person: 'reader',
    act: (page) => press(page, 'Welcome.md'),
  },
  'files-share': { path: 'files', act: (page) => choose(page, 'Welcome.md', 'Share') },
  'files-share-created': {
    path: 'files',
    act: async (page) => {
      await choose(page, 'Photos', 'Share');
      await pressInDialog(page, 'Create link');
      await dialogOf(page).locator('code').waitFor();
    },
  },
  'files-request': { path: 'files/Inbox', act: (page) => press(page, 'Request files') },
  'files-request-created': {
    path: 'files/Inbox',
    act: async (page) => {
      await press(page, 'Request files');
      await pressInDialog(page, 'Create link');
      await dialogOf(page).locator('code').first().waitFor();
      await page.getByText('Put the upload field').click();
    },
  },
  'files-s3': { path: 'files', act: (page) => choose(page, 'Welcome.md', 'S3 address') },
  'files-new-folder': {
    path: 'files',
    act: async (page) => {
      await press(page, 'New folder');
      await dialogOf(page).getByLabel('Name').fill('bad/name');
      await page.keyboard.press('Enter');
    },
  },
  'files-rename': { path: 'files', act: (page) => choose(page, 'Photos', 'Rename') },
  'files-move': { path: 'files', act: (page) => choose(page, 'Welcome.md', 'Move') },
  'files-delete': { path: 'files', act: (page) => choose(page, 'Welcome.md', 'Delete') },
  'files-delete-folder': { path: 'files', act: (page) => choose(page, 'Photos', 'Delete') },
  'files-job-counting': {
    path: 'files',
    prepare: respond(JOBS, job({ total: null, done: 0 })),
    act: async (page) => {
      await startJob(page);
      await page.getByText('Counting files').waitFor();
    },
  },
  'files-job-running': {
    path: 'files',
    prepare: respond(JOBS, job({})),
    act: async (page) => {
      await startJob(page);
      await page.getByText('12,000').waitFor();
    },
  },
  'files-job-failed': {
    path: 'files',
    prepare: respond(JOBS, job({ state: 'failed', error: { code: 'INTERNAL_SERVER_ERROR', message: '' } })),
    act: startJob,
  },
  'files-job-some-failed': {
    path: 'files',
    prepare: respond(
      JOBS,
      job({
        state: 'done',
        done: 9,
        failed: 3,
        failures: [{ path: 'Photos/A long name of a picture.png', code: 'CONFLICT', message: 'The path is taken.' }],
      }),
    ),
    act: startJob,
  },
  'files-job-done': { path: 'files', prepare: respond(JOBS, job({ state: 'done', done: 1, total: 1 })), act: startJob },
  'files-job-cancelled': {
    path: 'files',
    prepare: respond(JOBS, job({ state: 'cancelled', done: 9 })),
    act: startJob,
  },
  'files-jobs-running': {
    path: 'files',
    prepare: respond(JOB_LIST, {
      response: {
        jobs: [
          { ...job({}).response, type: 'delete' },
          { ...job({ total: null, done: 0 }).response, id: 'job_2', type: 'copy' },
        ],
      },
    }),
  },
  'files-jobs-read-only': {
    path: 'files?workspace=WORKSPACE',
    person: 'reader',
    prepare: respond(JOB_LIST, { response: { jobs: [{ ...job({}).response, type: 'move' }] } }),
  },
  'files-name-conflicts': {
    path: 'files/Many',
    person: 'crowded',
    prepare: fail('**/move', 409, 'FILE_EXISTS'),
    act: async (page) => {
      await upload(page);
      await page.getByRole('dialog', { name: '3 files exist already' }).waitFor();
    },
  },
  'files-uploading': { path: 'files', prepare: hold(/\/v1\/(files$|files\/batch|uploads)/), act: upload },
  'files-upload-failed': {
    path: 'files',
    prepare: fail(/\/v1\/(files$|files\/batch|uploads)/, 413, 'FILE_TOO_LARGE'),
    act: upload,
  },
  'files-upload-no-token': { path: 'files', prepare: fail('**/v1/upload-tokens', 507, 'QUOTA_EXCEEDED'), act: upload },
};
