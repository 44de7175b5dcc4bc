import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.js';
import { createRunner } from './page-scripts.js';
import type { RunInPage } from './page-scripts.js';

/** Starts Chromium. @param options.isWhole whether its headless shell will not do */
async function launch({ flags = [], isWhole = false }: { flags?: string[]; isWhole?: boolean }): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium({ isWhole }),
    args: [...CHROMIUM_FLAGS, ...flags],
    // Test files must leave the listeners of signals as they were. Chromium ends when its pipe closes.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

export const launchChromium = (...flags: string[]): Promise<Browser> => launch({ flags });

/** Chromium with what its headless shell lacks, such as wake locks. Pages need twice the processor time in it. */
export const launchWholeChromium = (): Promise<Browser> => launch({ isWhole: true });

let shared: Promise<Browser> | undefined;

/** Returns the Chromium that the test files of this process share. It ends with the process. */
export const useChromium = (): Promise<Browser> => (shared ??= launch({}));

/** Closes all pages of a browser that other test files use too. */
export async function closeContexts(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** A page that records its requests, responses and console errors. */
export interface WatchedPage {
  page: Page;
  run: RunInPage;
  /** Errors and warnings of the console, including violations of the Content-Security-Policy. */
  consoleErrors: string[];
  /** Method and address of all requests. */
  requests: string[];
}

export async function openWatchedPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const run = createRunner((script) => page.evaluate(script));
  const watched: WatchedPage = { page, run, consoleErrors: [], requests: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) watched.consoleErrors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => watched.consoleErrors.push(String(error)));
  page.on('request', (request) => watched.requests.push(`${request.method()} ${request.url()}`));
  return watched;
}

/** Records headers and bodies of all responses of a page, as text. Reading every body takes time, and few tests need it. */
export function recordResponses(page: Page): string[] {
  const responses: string[] = [];
  page.on('response', async (response) => {
    // A response to a preflight has no body.
    const body = await response.body().catch(() => Buffer.alloc(0));
    responses.push(JSON.stringify(response.headers()), body.toString('latin1'));
  });
  return responses;
}

/** Returns the native input inside an uploader. */
export const fileInputOf = (page: Page, uploader: string): Locator => page.locator(`${uploader} input[type=file]`).first();

/** Finds the middle of an element, in pixels of the window. */
async function findMiddle(target: Locator): Promise<{ x: number; y: number }> {
  const box = (await target.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drops files of the disk on an element, like a file manager. */
export async function dropFiles(page: Page, target: Locator, files: string[]): Promise<void> {
  const at = await findMiddle(target);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  await session.detach();
}

/** Drags files of the disk from the corner of the page over each element and back to the corner. @param look called at each place */
export async function dragFiles(page: Page, targets: Locator[], files: string[], look: () => Promise<void>): Promise<void> {
  const corner = { x: 1, y: 1 };
  const places = await Promise.all(targets.map(findMiddle));
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...corner, data });
  for (const { x, y } of [corner, ...places, corner]) {
    // After the page renders a new element below the pointer, only another move reports it. Each move waits for the next frame.
    for (const offset of [0, 1, 2]) {
      await session.send('Input.dispatchDragEvent', { type: 'dragOver', x: x + offset, y, data });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    }
    await look();
  }
  await session.detach();
}

/** Runs axe on a page. @returns one `rule: element` for each violation */
export async function findAxeViolations({ run }: { run: RunInPage }): Promise<string[]> {
  if (!(await run(() => 'axe' in globalThis))) await run(axe.source);
  return run(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
  });
}
