import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { openCore } from '../../server/service/core.js';
import { insertFiles } from '../service/insert-files.js';
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.js';
import { settleDisk } from './process.js';
import { median, printTable } from './report.js';
import { startOurs } from './servers.js';
import type { Ours } from './servers.js';
import { createUser, signIn } from './sign-ins.js';

const run = promisify(execFile);
const RUNS = Number(process.env['BENCH_RUNS'] ?? 7);
const LARGE_FOLDER = 1_000_000;
const SCROLLED_FOLDER = 10_000;
/** Files that each side deletes. */
const DELETED = Number(process.env['BENCH_FILES'] ?? 100_000);
const DELETE_RUNS = 3;
/** No other pair begins after this time. Storing the files takes most of it. */
const DELETE_BUDGET_MS = 10 * 60_000;
/** A side that takes longer has failed. */
const DELETE_TIMEOUT_MS = 10 * 60_000;
/** One for folders and one for files. */
const REQUESTS_OF_THE_FIRST_ROWS = 2;
const ROW = 'tbody tr[data-index]';
const TILE = '[role=gridcell][data-index]';

/** Rows of files without bytes, because uploading as many would take minutes. */
async function addFolders(dataDir: string): Promise<void> {
  const core = await openCore({ dataDir });
  await insertFiles(core, { prefix: 'large/', count: LARGE_FOLDER });
  await insertFiles(core, { prefix: 'scrolled/', count: SCROLLED_FOLDER });
  await insertFiles(core, { prefix: 'pictures/', count: SCROLLED_FOLDER, type: 'image/png' });
  await core.close();
}

async function openConsole(browser: Browser, ours: Ours, path: string, row = ROW): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const [name, value] = (await signIn(ours))!.split('=') as [string, string];
  await context.addCookies([{ name, value, url: ours.url }]);
  const page = await context.newPage();
  await page.goto(`${ours.url}/console${path}`);
  await page.locator(row).first().waitFor();
  return page;
}

/** Compares the time until the first rows are painted with that of the requests alone, in the same page. */
async function benchFolder(browser: Browser, ours: Ours): Promise<void> {
  const page = await openConsole(browser, ours, '/files');
  const rows: number[] = [];
  const requests: number[] = [];
  for (let n = 0; n <= RUNS; n++) {
    const sent: string[] = [];
    const record = (request: { url(): string }) => request.url().includes('/v1/files?') && sent.push(request.url());
    page.on('request', record);
    const shown = await page.evaluate<number>(OPEN_LARGE_FOLDER);
    page.off('request', record);
    const alone = await page.evaluate(fetchAll, sent.slice(0, REQUESTS_OF_THE_FIRST_ROWS));
    // The first run warms up.
    if (n > 0) rows.push(shown);
    if (n > 0) requests.push(alone);
    await page.goBack();
    await page.getByRole('link', { name: 'large' }).waitFor();
  }
  await page.context().close();
  printTable(`The first rows of a folder with ${LARGE_FOLDER.toLocaleString('en-US')} files`, [
    { until: 'the responses of the same requests', ms: median(requests), 'times the requests': 1 },
    {
      until: 'the first rows are painted',
      ms: median(rows),
      'times the requests': median(rows.map((time, n) => time / requests[n]!)),
    },
  ]);
}

/** A script for the page: opens the folder by its link and resolves with the ms until the frame in which its rows exist. */
const OPEN_LARGE_FOLDER = `(async () => {
  const find = (root, selector) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      const inside = shadowRoot && find(shadowRoot, selector);
      if (inside) return inside;
    }
  };
  const link = find(document, 'a[href$="/files/large"]');
  const began = performance.now();
  link.click();
  while (!find(document, '${ROW}')?.textContent.includes('0000001')) await new Promise(requestAnimationFrame);
  return performance.now() - began;
})()`;

/** Runs in the page: sends the requests at once, as the console does, and reads their JSON. @returns ms */
async function fetchAll(urls: string[]): Promise<number> {
  const began = performance.now();
  await Promise.all(urls.map(async (url) => (await fetch(url)).json()));
  return performance.now() - began;
}

async function benchScroll(browser: Browser, ours: Ours): Promise<void> {
  const page = await openConsole(browser, ours, '/files/scrolled');
  await scrollToEnd(page, ROW, 'rows');
}

/** The pictures have no bytes, so the images of the tiles that stay in the window fail to load. */
async function benchGrid(browser: Browser, ours: Ours): Promise<void> {
  const page = await openConsole(browser, ours, '/files/pictures?view=grid', TILE);
  await scrollToEnd(page, TILE, 'pictures of a grid');
}

/** Scrolls to the last file, reports the longest task of the main thread, and closes the page. */
async function scrollToEnd(page: Page, row: string, noun: string): Promise<void> {
  await page.evaluate(watchLongTasks);
  await page.mouse.move(700, 400);
  const last = page.locator(row, { hasText: String(SCROLLED_FOLDER).padStart(7, '0') });
  let wheels = 0;
  for (; (await last.count()) === 0; wheels++) await page.mouse.wheel(0, 1500);
  const longest = await page.evaluate(() => window.longestTask);
  await page.context().close();
  printTable(`Scrolling through ${SCROLLED_FOLDER.toLocaleString('en-US')} ${noun}`, [
    { 'turns of the wheel': wheels, 'longest task, ms (0: none over 50)': longest },
  ]);
}

declare global {
  interface Window {
    /** ms; 0 if all tasks took less than 50. */
    longestTask: number;
  }
}

/** Runs in the page. */
function watchLongTasks(): void {
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: 'longtask' });
}

/** Compares a job that deletes a folder with `svc-blob rm -r` on the same service. */
async function benchDelete(ours: Ours): Promise<void> {
  const env = await s3Environment(ours);
  const times: Record<string, number[]> = { 'a job of the console': [], 'svc-blob rm -r': [] };
  const end = performance.now() + DELETE_BUDGET_MS;
  for (let n = 0; n < DELETE_RUNS && (n === 0 || performance.now() < end); n++)
    for (const [name, series] of Object.entries(times)) {
      await storeFiles(ours, 'deleted');
      settleDisk();
      const began = performance.now();
      if (name === 'svc-blob rm -r')
        await run('node', ['dist/cli.js', 'rm', '-r', 's3://main/deleted/'], { env, timeout: DELETE_TIMEOUT_MS });
      else await deleteByJob(ours, 'deleted');
      series.push(performance.now() - began);
    }
  const command = times['svc-blob rm -r']!;
  printTable(
    `Deleting ${DELETED.toLocaleString('en-US')} files of 1 kB`,
    Object.entries(times).map(([name, series]) => ({
      by: name,
      runs: series.length,
      s: median(series) / 1000,
      'times svc-blob rm -r': median(series.map((time, n) => time / command[n]!)),
    })),
  );
}

async function s3Environment({ url, key, s3Url }: Ours): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await run('node', ['dist/cli.js', 's3-credentials', 'create', '--url', url, '--api-key', key, '--json']);
  const pair = JSON.parse(stdout) as { access_key_id: string; secret_access_key: string };
  return {
    ...process.env,
    AWS_ENDPOINT_URL: s3Url,
    AWS_ACCESS_KEY_ID: pair.access_key_id,
    AWS_SECRET_ACCESS_KEY: pair.secret_access_key,
  };
}

/** Stores the files to delete, 100 in a request. */
async function storeFiles({ url, key }: Ours, folder: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  let next = 0;
  const send = async () => {
    for (let first = next; first < DELETED; first = next) {
      next += 100;
      const form = new FormData();
      for (let n = first; n < Math.min(first + 100, DELETED); n++) form.append('file', new Blob(['x'.repeat(1000)]), `${n}.bin`);
      const response = await fetch(`${url}/v1/files/batch?prefix=${folder}`, { method: 'POST', headers, body: form });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 4 }, send));
}

async function deleteByJob({ url, key }: Ours, prefix: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { headers, ...init });
    const body = (await response.json()) as { response: { id: string; state: string } };
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return body.response;
  };
  const { id } = await call('/v1/jobs', { method: 'POST', body: JSON.stringify({ type: 'delete', prefix }) });
  const end = performance.now() + DELETE_TIMEOUT_MS;
  for (;;) {
    if (performance.now() > end) throw new Error('The job takes too long.');
    const { state } = await call(`/v1/jobs/${id}`);
    if (state === 'done') return;
    if (state !== 'queued' && state !== 'running') throw new Error(`The job is ${state}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const PARTS = {
  folder: benchFolder,
  scroll: benchScroll,
  grid: benchGrid,
  delete: (_: Browser, ours: Ours) => benchDelete(ours),
};

/** Measures the web console. @param parts names in `PARTS`; none means all */
export async function benchConsole(parts: string[]): Promise<void> {
  const isWithFolders = parts.some((name) => name !== 'delete') || parts.length === 0;
  const ours = await startOurs('dist/cli.js', isWithFolders ? addFolders : undefined);
  const browser = await chromium.launch({ executablePath: await findChromium(), args: [...CHROMIUM_FLAGS] });
  try {
    createUser(ours);
    for (const name of parts.length > 0 ? parts : Object.keys(PARTS)) await PARTS[name as keyof typeof PARTS](browser, ours);
  } finally {
    await browser.close();
    await ours.stop();
  }
}
