import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createBlobService } from '../../server/service/index.js';
import type { Language } from '../../server/service/identity/users/user-fields.js';
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.js';
import { SCENES, SETUP } from './account-scenes.js';
import type { Scene } from './account-scenes.js';
import { makeSheet } from './make-sheet.js';

// Pictures of set-up, sign-in, invitations, consent and their errors, and sheets with the pictures of a state side by side:
// `npx tsx scripts/pictures/account-pages.ts FOLDER [STATE…]`. Reports violations of axe, overflow, and errors of the console.
// VIEWS=320x256 and SCHEMES=forced select other sizes and color schemes.

const VIEWS = (process.env['VIEWS'] ?? '390x844,1280x800').split(',').map((view) => view.split('x').map(Number));
const SCHEMES = (process.env['SCHEMES'] ?? 'light,dark').split(',');
const OPTIONS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  forced: { forcedColors: 'active', colorScheme: 'dark' },
};
const LANGUAGES: Record<Language, string> = { 'en-us': 'en-US', 'pt-br': 'pt-BR', 'es-es': 'es-ES' };

const problems = new Set<string>();
/** Language, title and focused field of each page. */
const facts = new Set<string>();

async function examine(page: Page, name: string): Promise<void> {
  const found = await page.evaluate(() => {
    const { documentElement: root } = document;
    return {
      overflow: root.scrollWidth - root.clientWidth,
      title: document.title,
      lang: root.lang,
      focus: document.activeElement?.id ?? '',
    };
  });
  if (found.overflow > 0) problems.add(`${name}: wider than the window by ${found.overflow} px`);
  facts.add(`${name}: ${found.lang} | ${found.title} | ${found.focus}`);
  // Languages do not change the result.
  if (found.lang !== 'en-US') return;
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  await session.send('Runtime.evaluate', { expression: axe.source, contextId: executionContextId });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html.slice(0, 120) + ' ' + (any[0]?.message ?? '')))))`,
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  for (const violation of JSON.parse(String(result.value ?? '["axe failed"]')) as string[]) problems.add(`${name}: ${violation}`);
  await session.detach();
}

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('tsx scripts/pictures/account-pages.ts FOLDER [state …]');
await mkdir(folder, { recursive: true });
const isSelected = (name: string) => only.length === 0 || only.includes(name);
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });

/** A page for each size and color scheme, because new ones are slow. */
const pages = new Map<string, Page>();

async function openPage(scheme: string, width: number, height: number): Promise<Page> {
  const key = `${scheme}-${width}`;
  const open = pages.get(key);
  if (open) return open;
  const context = await browser.newContext({ ...OPTIONS[scheme], ...(width > 0 && { viewport: { width, height } }) });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.add(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.text().includes('responded with a status')) return;
    problems.add(`${page.url()}: ${message.text()} ${message.location().url}`);
  });
  pages.set(key, page);
  return page;
}

/** Takes the pictures of some scenes on one service. */
async function photograph(scenes: Record<string, Scene>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-pictures-'));
  const service = await createBlobService({ port: 0, s3Port: false, dataDir });
  try {
    const { url } = await service.listen();
    for (const [name, scene] of Object.entries(scenes)) {
      if (!isSelected(name)) continue;
      for (const [width, height] of VIEWS as [number, number][]) {
        const files: string[] = [];
        for (const scheme of SCHEMES)
          for (const [language, locale] of Object.entries(LANGUAGES) as [Language, string][]) {
            const id = `${name}-${language}-${scheme}-${width}`;
            const page = await openPage(scheme, width, height);
            await page.unrouteAll();
            await page.context().clearCookies();
            // A link that differs only after # would not load the page again.
            await page.goto('about:blank');
            await page.setExtraHTTPHeaders({ 'Accept-Language': locale });
            try {
              await scene({ page, language, service, url });
              await page.screenshot({ path: join(folder!, `${id}.png`), fullPage: true });
              files.push(join(folder!, `${id}.png`));
              await examine(page, id);
            } catch (error) {
              problems.add(`${id}: ${String(error).slice(0, 300)}`);
            }
          }
        const shown = width > 600 ? 640 : width;
        const target = join(folder!, `sheet-${name}-${width}.png`);
        const pictures = files.map((file) => ({ file, width: shown }));
        await makeSheet(await openPage('light', 0, 0), { pictures, target, width: 3 * (shown + 8) + 8 });
      }
    }
  } finally {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

try {
  await photograph(SETUP);
  await photograph(SCENES);
} finally {
  await browser.close();
  for (const line of [...facts, '', ...problems]) console.log(line);
}
