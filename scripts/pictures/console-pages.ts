import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { addSampleFiles } from '../../demo/backend/sample-files.js';
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.js';
import { ensureDemoAdmin } from '../../test/support/demo-admin.js';
import type { DemoAdmin } from '../../test/support/demo-admin.js';
import { ensureDemoKey } from '../../test/support/demo-key.js';
import { freePorts } from '../../test/support/ports.js';
import { startService } from '../../test/support/start-service.js';
import { build } from '../build.js';

// Pictures of the pages of the web console with the sample files: `npx tsx scripts/pictures/console-pages.ts FOLDER [PATH…]`.
// Without a folder it makes the picture of the documentation, docs/console.png.

const PAGES = [
  'files',
  'files/Photos?view=grid',
  'overview',
  'access/keys',
  'access/s3',
  'access/tokens',
  'access/apps',
  'sharing/shares',
  'sharing/rules',
  'sharing/domains',
  'sharing/webhooks',
  'workspaces',
  'profile',
];
const VIEWS = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };
const SCHEMES = ['light', 'dark'] as const;

interface Picture {
  page: string;
  target: string;
  options: BrowserContextOptions;
}

/** @throws Error if the service refuses the sign-in */
async function cookieOf(url: string, { email, password }: DemoAdmin): Promise<{ name: string; value: string; url: string }> {
  const response = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const [name, value] = (response.headers.getSetCookie()[0] ?? '').split(';')[0]!.split('=');
  if (name === undefined || value === undefined) throw new Error(`The sign-in was refused: ${response.status}`);
  return { name, value, url };
}

async function photograph(
  browser: Browser,
  url: string,
  cookie: Awaited<ReturnType<typeof cookieOf>>,
  picture: Picture,
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-US', ...picture.options });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.goto(`${url}/console/${picture.page}`);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: picture.target });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  if (overflow !== 0) console.log(`${picture.target}: wider than the window by ${String(overflow)} px`);
  await context.close();
}

const picturesFor = (folder: string, pages: readonly string[]): Picture[] =>
  pages.flatMap((page) =>
    Object.entries(VIEWS).flatMap(([size, viewport]) =>
      SCHEMES.map((colorScheme) => ({
        page,
        target: join(folder, `${page.replace(/\W+/g, '-')}-${size}-${colorScheme}.png`),
        options: { viewport, colorScheme },
      })),
    ),
  );

const DOCS_PICTURE: Picture = {
  page: 'files/Photos?view=grid',
  target: 'docs/console.png',
  options: { viewport: { width: 1200, height: 480 }, deviceScaleFactor: 2 },
};

const [folder, ...only] = process.argv.slice(2);
await build({ ifStale: true });
const dataDir = await mkdtemp(join(tmpdir(), 'svc-console-'));
const env = { ...process.env, DRAIN_SECONDS: '0' };
const admin = (await ensureDemoAdmin(dataDir, env))!;
const [port, s3Port] = await freePorts(2);
const service = await startService({ host: '127.0.0.1', port: port!, s3Port: s3Port!, dataDir, env });
const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
try {
  const url = `http://localhost:${port}`;
  await addSampleFiles({ url, ...(await ensureDemoKey(url, dataDir, env)) });
  const cookie = await cookieOf(url, admin);
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const pictures = folder === undefined ? [DOCS_PICTURE] : picturesFor(folder, only.length > 0 ? only : PAGES);
  for (const picture of pictures) await photograph(browser, url, cookie, picture);
} finally {
  await browser.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
