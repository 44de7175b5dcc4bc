import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.js';
import { createRunner } from './page-scripts.js';
import type { RunInPage } from './page-scripts.js';

export const launchChromium = async (...flags: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: await findChromium(), args: [...CHROMIUM_FLAGS, ...flags] });

/** A page that keeps everything it received and everything it complained about. */
export interface WatchedPage {
  page: Page;
  run: RunInPage;
  /** Bodies of all answers, as text. */
  responses: string[];
  /** Errors and warnings of the console, violations of the Content-Security-Policy among them. */
  consoleErrors: string[];
  /** Requests by method and address. */
  requests: string[];
}

export async function openWatchedPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const run = createRunner((script) => page.evaluate(script));
  const watched: WatchedPage = { page, run, responses: [], consoleErrors: [], requests: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) watched.consoleErrors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => watched.consoleErrors.push(String(error)));
  page.on('request', (request) => watched.requests.push(`${request.method()} ${request.url()}`));
  page.on('response', async (response) => {
    // An answer without a body, such as a preflight's, has none to give.
    const body = await response.body().catch(() => Buffer.alloc(0));
    watched.responses.push(JSON.stringify(response.headers()), body.toString('latin1'));
  });
  return watched;
}

/** The native input inside an uploader. */
export const fileInputOf = (page: Page, uploader: string): Locator => page.locator(`${uploader} input[type=file]`).first();

/** The middle of an element, in pixels of the window. */
async function findMiddle(target: Locator): Promise<{ x: number; y: number }> {
  const box = (await target.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drops real files on an element, as the system's file manager does. */
export async function dropFiles(page: Page, target: Locator, files: string[]): Promise<void> {
  const at = await findMiddle(target);
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  await session.detach();
}

/** Drags real files over the page's corner, over one element after the other, and back to the corner. @param look is called at each place */
export async function dragFiles(page: Page, targets: Locator[], files: string[], look: () => Promise<void>): Promise<void> {
  const corner = { x: 1, y: 1 };
  const places = await Promise.all(targets.map(findMiddle));
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...corner, data });
  for (const { x, y } of [corner, ...places, corner]) {
    // A hand is never still: what is drawn anew below it is told of by the next move.
    for (const tremble of [0, 1, 2]) {
      await session.send('Input.dispatchDragEvent', { type: 'dragOver', x: x + tremble, y, data });
      await page.waitForTimeout(50);
    }
    await look();
  }
  await session.detach();
}

/** What axe has against a page, as `rule: element`. */
export async function findAxeViolations({ run }: { run: RunInPage }): Promise<string[]> {
  await run(axe.source);
  return run(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
  });
}
