// Long because each state of the element is one scene.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { createServer } from 'vite';
import { linkScenes } from './link-scenes.js';
import { pictureScenes } from './picture-scenes.js';
import { dialogScenes } from './dialog-scenes.js';
import { sourceScenes } from './source-scenes.js';
import type { Scene } from './scene.js';
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.js';

// Pictures of every state of the element, to look at, and sheets with all of them side by side:
// `npx tsx scripts/pictures/screenshots.ts FOLDER [STATE…]`. WIDTHS=280,1280 selects other widths, SCHEMES=light,dark some color schemes.

const WIDTHS = (process.env['WIDTHS'] ?? '280,390,720').split(',').map(Number);
/** Narrower viewports are phones with touch. */
const PHONE = 500;
const COLOR_SCHEMES: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  forced: { forcedColors: 'active' },
};

/** Outcomes of one file after the other: 0 stores it, 1 fails, 2 and 3 send that many fifths of its bytes. */
const TRANSPORT_OUTCOMES: Readonly<Record<string, readonly number[]>> = { store: [0], mixed: [0, 1, 2, 3], partly: [3] };
/** A camera and a microphone that need no permission. */
const FAKE_DEVICES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
const SCHEMES = process.env['SCHEMES']?.split(',') ?? Object.keys(COLOR_SCHEMES);

const threeFiles = [
  { name: 'Quarterly report with a rather long name, final version.pdf', size: 4_200_000, type: 'application/pdf' },
  { name: 'invoice-2026-11.xlsx', size: 182_000 },
  { name: 'photo.jpg', size: 2_400_000, type: 'image/jpeg' },
];
const manyFiles = Array.from({ length: 300 }, (_, index) => ({
  name: `IMG_${String(index).padStart(4, '0')}.jpg`,
  size: 300_000 + index * 1000,
}));

const largeFile = { name: 'photo.jpg', size: 30_000_000, type: 'image/jpeg' };
const goOffline = (page: Page) => page.context().setOffline(true);

const pictures = Array.from({ length: 4 }, (_, index) => ({ name: `photo-${index}.jpg`, size: 0, type: 'image/jpeg' }));

const runWithElement = (page: Page, script: string) =>
  page.evaluate(`(async () => { const el = document.querySelector('svc-uploader'); ${script} })()`) as Promise<void>;

/** Sends a form with the element. */
const submit = (page: Page) =>
  runWithElement(page, `const f = document.createElement('form'); el.before(f); f.append(el); f.requestSubmit();`);
const refusedFiles = [...threeFiles, { name: 'setup.exe', size: 100 }, { name: 'notes.txt', size: 900 }];
const onlyDocuments = { multiple: true, label: 'Attachments', 'allowed-extensions': 'pdf,xlsx,jpg' };

const interrupted = [
  { name: 'holiday.mp4', size: 1_400_000_000, sent: 790_000_000 },
  { name: 'Interview with a rather long name, second take.mov', size: 90_000_000, sent: 1_000_000 },
];

const SCENES: Record<string, Scene> = {
  ...pictureScenes,
  ...dialogScenes,
  ...linkScenes,
  ...sourceScenes,
  interrupted: { attributes: { multiple: true, label: 'Videos', 'max-size': '2GB' }, interrupted },
  'interrupted-de': { attributes: { multiple: true, locale: 'de' }, files: threeFiles, storage: 'hang', interrupted },
  'interrupted-rtl': { attributes: { multiple: true, locale: 'ar' }, interrupted },
  'interrupted-inline': { attributes: { appearance: 'inline', label: 'Video' }, interrupted: interrupted.slice(0, 1) },
  empty: { attributes: { multiple: true, label: 'Attachments', 'allowed-extensions': 'pdf, png, jpg', 'max-size': '10MB' } },
  'empty-accept': { attributes: { multiple: true, label: 'Attachments', accept: 'image/*, .pdf', 'max-size': '10MB' } },
  'refused-accept': { attributes: { multiple: true, label: 'Photos', accept: 'image/*' }, files: threeFiles, storage: 'store' },
  'refused-el': { attributes: { ...onlyDocuments, locale: 'el' }, files: refusedFiles, storage: 'damage' },
  'waiting-el': { attributes: { multiple: true, locale: 'el' }, files: [largeFile, ...threeFiles], storage: 'away' },
  'removal-delete': {
    attributes: { multiple: true, label: 'Attachments', removal: 'delete' },
    files: threeFiles,
    storage: 'store',
  },
  single: { attributes: { label: 'Contract' }, files: threeFiles.slice(0, 1), storage: 'store' },
  dragging: {
    attributes: { multiple: true, label: 'Attachments' },
    act: (page) =>
      runWithElement(
        page,
        `const t = new DataTransfer(); t.items.add(new File(['x'], 'a.txt'));
      el.dispatchEvent(new DragEvent('dragenter', { dataTransfer: t, bubbles: true, composed: true }));`,
      ),
  },
  uploading: { attributes: { multiple: true, label: 'Attachments' }, files: threeFiles, storage: 'hang' },
  paused: {
    attributes: { multiple: true, label: 'Attachments' },
    files: threeFiles,
    storage: 'hang',
    act: (page) => runWithElement(page, 'el.pause()'),
  },
  complete: { attributes: { multiple: true, label: 'Attachments' }, files: threeFiles, storage: 'store' },
  error: {
    attributes: { multiple: true, label: 'Attachments', 'max-size': '3MB', 'allowed-extensions': 'pdf,jpg,xlsx' },
    files: [...threeFiles, { name: 'setup.exe', size: 100 }, { name: 'empty.pdf', size: 0 }],
    storage: 'fail',
  },
  offline: {
    attributes: { multiple: true, label: 'Attachments' },
    files: threeFiles,
    storage: 'hang',
    act: goOffline,
  },
  'offline-single': { attributes: { label: 'Contract' }, files: threeFiles.slice(0, 1), storage: 'hang', act: goOffline },
  waiting: { attributes: { multiple: true, label: 'Photos' }, files: [largeFile, ...threeFiles], storage: 'away' },
  'waiting-single': { attributes: { label: 'Photo' }, files: [largeFile], storage: 'away' },
  'waiting-inline': { attributes: { label: 'Photo', appearance: 'inline' }, files: [largeFile], storage: 'away' },
  'waiting-de': { attributes: { multiple: true, locale: 'de' }, files: [largeFile, ...threeFiles], storage: 'away' },
  'waiting-rtl': { attributes: { multiple: true, locale: 'ar' }, files: [largeFile, ...threeFiles], storage: 'away' },
  'offline-rtl': { attributes: { multiple: true, locale: 'he' }, files: threeFiles, storage: 'hang', act: goOffline },
  'offline-pt': { attributes: { multiple: true, locale: 'pt-BR' }, files: threeFiles, storage: 'hang', act: goOffline },
  'max-files': { attributes: { multiple: true, label: 'Attachments', 'max-files': '3' }, files: threeFiles, storage: 'store' },
  disabled: { attributes: { multiple: true, label: 'Attachments', disabled: true } },
  'read-only': {
    attributes: { multiple: true, label: 'Attachments' },
    files: threeFiles,
    storage: 'store',
    act: (page) => runWithElement(page, 'el.readOnly = true'),
  },
  manual: { attributes: { multiple: true, manual: true, label: 'Attachments' }, files: threeFiles },
  many: { attributes: { multiple: true, label: 'Photos' }, files: manyFiles, storage: 'hang' },
  'many-complete': { attributes: { multiple: true, label: 'Photos' }, files: manyFiles.slice(0, 60), storage: 'store' },
  reorder: { attributes: { multiple: true, reorderable: true, label: 'Gallery' }, files: pictures, storage: 'store' },
  broken: {
    attributes: { multiple: true, label: 'Photos' },
    files: [{ name: 'broken.jpg', size: 5000, type: 'image/jpeg' }, ...pictures.slice(0, 1)],
    storage: 'store',
  },
  'many-wrong': { attributes: { multiple: true, label: 'Photos', 'allowed-extensions': 'png' }, files: manyFiles.slice(0, 60) },
  invalid: {
    attributes: { multiple: true, label: 'Attachments', required: true, name: 'a' },
    act: submit,
  },
  'required-refused': { attributes: { ...onlyDocuments, required: true }, files: refusedFiles.slice(3), act: submit },
  'required-failed': {
    attributes: { label: 'Contract', required: true },
    files: threeFiles.slice(0, 1),
    storage: 'fail',
    act: submit,
  },
  'required-inline': {
    attributes: { appearance: 'inline', label: 'Contract', required: true, 'allowed-extensions': 'pdf' },
    files: refusedFiles.slice(3, 4),
    act: submit,
  },
  'required-inline-failed': {
    attributes: { appearance: 'inline', label: 'Contract', required: true },
    files: threeFiles.slice(0, 1),
    storage: 'fail',
    act: submit,
  },
  refused: { attributes: { ...onlyDocuments, 'max-size': '3MB' }, files: refusedFiles, storage: 'store' },
  'refused-uploading': { attributes: onlyDocuments, files: refusedFiles, storage: 'hang' },
  'refused-failed': { attributes: onlyDocuments, files: refusedFiles, storage: 'fail' },
  'refused-rtl': { attributes: { ...onlyDocuments, locale: 'ar', 'max-size': '3MB' }, files: refusedFiles, storage: 'store' },
  'refused-de': { attributes: { ...onlyDocuments, locale: 'de' }, files: refusedFiles, storage: 'fail' },
  'refused-retry-de': { attributes: { ...onlyDocuments, locale: 'de' }, files: refusedFiles, storage: 'damage' },
  'refused-uploading-de': { attributes: { ...onlyDocuments, locale: 'de' }, files: refusedFiles, storage: 'hang' },
  'refused-one': { attributes: onlyDocuments, files: refusedFiles.slice(0, 4), storage: 'store' },
  duplicate: {
    attributes: { multiple: true, label: 'Attachments' },
    files: threeFiles,
    storage: 'store',
    act: (page) => runWithElement(page, 'await el.addFiles(el.files.slice(1, 2))'),
  },
  'submit-held': {
    attributes: { multiple: true, label: 'Attachments', 'submit-waits': true },
    files: threeFiles,
    storage: 'hang',
    act: submit,
  },
  'inline-many': {
    attributes: { multiple: true, appearance: 'inline', label: 'Attachments' },
    files: threeFiles,
    storage: 'store',
  },
  'inline-error': {
    attributes: { appearance: 'inline', label: 'Contract', 'allowed-extensions': 'pdf' },
    files: threeFiles.slice(2),
  },
  'inline-refused': {
    attributes: { appearance: 'inline', label: 'Contract', 'allowed-extensions': 'pdf' },
    files: [...threeFiles.slice(2), ...threeFiles.slice(0, 1)],
    storage: 'store',
  },
  'button-many': {
    attributes: { multiple: true, appearance: 'button', label: 'Attachments' },
    files: threeFiles,
    storage: 'hang',
  },
  inline: { attributes: { appearance: 'inline', label: 'Contract', hint: 'PDF, up to 10 MB' } },
  'inline-pictures': { attributes: { appearance: 'inline', label: 'Contract' }, files: threeFiles.slice(0, 1), storage: 'hang' },
  'inline-done': { attributes: { appearance: 'inline', label: 'Contract' }, files: threeFiles.slice(0, 1), storage: 'store' },
  button: { attributes: { appearance: 'button', label: 'Contract', 'max-size': '10MB' } },
  rtl: {
    attributes: { multiple: true, locale: 'ar', 'max-size': '10MB', 'allowed-extensions': 'pdf,png' },
    files: threeFiles.slice(1),
    storage: 'hang',
  },
};

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>:root{color-scheme:light dark;font-family:system-ui,sans-serif}body{margin:16px}</style>
<body><script type="module" src="/src/element/index.ts"></script></body></html>`;

async function takeScreenshot(page: Page, name: string, scene: Scene, folder: string, suffix: string): Promise<void> {
  await page.unrouteAll();
  await page.setViewportSize({ ...page.viewportSize()!, height: scene.height ?? 300 });
  await page.context().setOffline(false);
  await page.route('**/v1/**', async (route) => {
    if (route.request().url().includes('/self')) return route.fulfill({ status: 404, json: { code: 'NOT_FOUND' } });
    if (scene.storage === 'hang') return undefined;
    if (scene.storage === 'away') return route.fulfill({ status: 503, headers: { 'retry-after': '19' } });
    if (scene.storage === 'fail') return route.fulfill({ status: 409, json: { code: 'FILE_EXISTS', message: 'exists' } });
    if (scene.storage === 'damage')
      return route.fulfill({ status: 422, json: { code: 'CHECKSUM_MISMATCH', message: 'damaged' } });
    const file = { id: '1', path: 'docs/a.pdf', name: 'a.pdf', size: 1 };
    if (route.request().url().endsWith('/batch'))
      return route.fulfill({ json: { response: { results: Array.from({ length: 100 }, () => ({ file })) } } });
    return route.fulfill({ status: 201, json: { response: file } });
  });
  await page.reload();
  await page.evaluate(
    async ({ attributes, files, interrupted, outcomes, errorsModule }) => {
      const scope = [location.pathname, '', `${location.origin}/storage`, ''].join('\n');
      const entries = interrupted.map(({ name, size, sent }, index) => {
        const entry = { scope, name, size, sent, type: '', relativePath: '', identity: name, sample: '', visit: 1 };
        localStorage.setItem(`svc-uploader:${index}`, JSON.stringify({ key: 'k', at: Date.now() }));
        return [`svc-uploader:${index}`, { ...entry, expiresAt: Date.now() + 3_600_000 }];
      });
      sessionStorage.clear();
      if (entries.length > 0) sessionStorage.setItem('svc-uploader-interrupted', JSON.stringify(Object.fromEntries(entries)));
      await customElements.whenDefined('svc-uploader');
      const el = document.createElement('svc-uploader');
      for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, value === true ? '' : String(value));
      el.setAttribute('endpoint', `${location.origin}/storage`);
      el.setAttribute('token', 'svcup_picture');
      const { BlobError } = (await import(errorsModule)) as typeof import('../../src/protocol/errors.js');
      let sent = 0;
      if (outcomes.length > 0)
        el.transport = {
          send(file, { progress }) {
            const outcome = outcomes[sent++ % outcomes.length]!;
            if (outcome === 0)
              return Promise.resolve({ id: file.id, path: file.name, name: file.name, size: file.size } as never);
            if (outcome === 1) return Promise.reject(new BlobError('CHECKSUM_MISMATCH', 'damaged', { status: 422 }));
            progress(Math.floor((file.size * outcome) / 5));
            return new Promise(() => {});
          },
        };
      document.body.append(el);
      await el.updateComplete;
      const created = files.map(async ({ name, size, type = '' }, index) => {
        if (size > 0 || !type) return new File([new Uint8Array(size)], name, { type });
        const canvas = new OffscreenCanvas(800, 600);
        const context = canvas.getContext('2d')!;
        context.scale(2, 2);
        const sky = context.createLinearGradient(0, 0, 0, 300);
        sky.addColorStop(0, `hsl(${index * 70} 70% 75%)`);
        sky.addColorStop(1, `hsl(${index * 70 + 40} 60% 45%)`);
        context.fillStyle = sky;
        context.fillRect(0, 0, 400, 300);
        for (const [depth, height] of [190, 225, 260].entries()) {
          context.fillStyle = `hsl(${index * 70 + 40} ${40 - depth * 8}% ${42 - depth * 12}%)`;
          context.beginPath();
          context.moveTo(0, 300);
          for (let x = 0; x <= 400; x += 4)
            context.lineTo(x, height + 28 * Math.sin(x / (52 - depth * 11) + index * 2 + depth) + 9 * Math.sin(x / 13 + index));
          context.lineTo(400, 300);
          context.fill();
        }
        context.fillStyle = 'hsl(48 100% 88%)';
        context.beginPath();
        context.arc(120 + ((index * 67) % 180), 84, 24, 0, 7);
        context.fill();
        return new File([await canvas.convertToBlob({ type })], name, { type });
      });
      await el.addFiles(await Promise.all(created));
    },
    {
      attributes: scene.attributes ?? {},
      files: scene.files ?? [],
      interrupted: scene.interrupted ?? [],
      outcomes: TRANSPORT_OUTCOMES[scene.storage ?? 'hang'] ?? [],
      errorsModule: '/src/protocol/errors.ts',
    },
  );
  await waitUntilStill(page);
  await scene.act?.(page);
  await waitUntilStill(page);
  await page.screenshot({ path: join(folder, `${name}-${suffix}.png`), fullPage: true });
}

/** Waits until the page stays the same: code is loaded, pictures are decoded and transitions have ended. Counters may never stand still. */
async function waitUntilStill(page: Page): Promise<void> {
  let last: Buffer = Buffer.alloc(0);
  for (let same = 0, tries = 0; same < 2 && tries < 20; tries++) {
    await page.waitForTimeout(150);
    const next = await page.screenshot({ fullPage: true });
    same = next.equals(last) ? same + 1 : 0;
    last = next;
  }
}

/** Makes one picture of all states. */
async function makeSheet(context: BrowserContext, names: string[], folder: string, suffix: string, width: number): Promise<void> {
  const figures = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, `${name}-${suffix}.png`));
      return `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${bytes.toString('base64')}"></figure>`;
    }),
  );
  const page = await context.newPage();
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
  await page.setViewportSize({ width: 1680, height: 400 });
  await page.setContent(`<style>body{display:flex;flex-wrap:wrap;align-items:start;gap:8px;font:12px sans-serif;background:#bbb;margin:8px}
    figure{margin:0;width:${width}px}img{width:100%}</style>${figures.join('')}`);
  await page.screenshot({ path: join(folder, `sheet-${suffix}.png`), fullPage: true });
  await page.close();
}

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('tsx scripts/pictures/screenshots.ts FOLDER [state …]');
await mkdir(folder, { recursive: true });
const vite = await createServer({
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false },
});
const server = createHttpServer((request, response) => {
  if (request.url !== '/') return vite.middlewares(request, response);
  return response.setHeader('content-type', 'text/html').end(PAGE);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({ executablePath: await findChromium(), args: [...CHROMIUM_FLAGS, ...FAKE_DEVICES] });
try {
  for (const [scheme, options] of Object.entries(COLOR_SCHEMES).filter(([name]) => SCHEMES.includes(name)))
    for (const width of WIDTHS) {
      const context = await browser.newContext({
        ...options,
        viewport: { width: width + 32, height: 300 },
        hasTouch: width < PHONE,
        deviceScaleFactor: 1.5,
      });
      const page = await context.newPage();
      page.on('pageerror', (error) => console.error(error));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const names = Object.keys(SCENES).filter((name) => only.length === 0 || only.includes(name));
      for (const name of names) await takeScreenshot(page, name, SCENES[name]!, folder, `${scheme}-${width}`);
      await makeSheet(context, names, folder, `${scheme}-${width}`, width / 1.5);
      await context.close();
    }
} finally {
  await browser.close();
  server.close();
  await vite.close();
}
