import type { Page } from 'playwright-core';
import type { Scene } from './scene.js';

type Step = readonly [event: string, data: Record<string, unknown>];

/** A link, what its address is, and the events of its fetch. The response stays open. */
interface Link {
  url: string;
  steps: readonly Step[];
}

const HEAD = { name: 'Sunset over the bay.jpg', content_type: 'image/jpeg' };
const refused = (reason: string): readonly Step[] => [['error', { code: 'FETCH_FAILED', message: '', details: { reason } }]];
const LINKS: Readonly<Record<string, Link>> = {
  opening: { url: 'https://photos.example.com/download?id=17', steps: [] },
  unknown: { url: 'https://example.com/sunset', steps: [['progress', { bytes: 3_400_000, total: null, ...HEAD }]] },
  known: { url: 'https://example.com/bay', steps: [['progress', { bytes: 3_400_000, total: 8_100_000, ...HEAD }]] },
  missing: { url: 'https://example.com/gone.jpg', steps: refused('status') },
  unreachable: { url: 'https://old.example.com/a.jpg', steps: refused('connection') },
  private: { url: 'http://10.0.0.1/plan.pdf', steps: refused('address') },
};

/** Opens the dialog of a link; with a text, enters it and presses Add. */
async function openDialog(page: Page, text?: string): Promise<void> {
  await page.locator('svc-uploader .pick[aria-haspopup]').click();
  await page.locator('svc-uploader [role=menuitem]').last().click();
  const field = page.locator('svc-uploader .source-dialog input');
  await field.waitFor();
  if (text === undefined) return;
  await field.fill(text);
  await page.locator('svc-uploader .source-dialog [type=submit]').click();
}

/** Answers the fetches of links, and adds the links. */
async function addLinks(page: Page, names: readonly string[]): Promise<void> {
  const links = names.map((name) => LINKS[name]!);
  // The compiler of this script names functions with a helper, which the page lacks.
  await page.evaluate('globalThis.__name = (named) => named');
  await page.evaluate((all) => {
    document.querySelector('svc-uploader')!.tokenProvider = async () => ({ token: 'svcup_picture', allow_fetch: true });
    const { fetch } = window;
    window.fetch = async (address, init) => {
      if (!String(address).endsWith('/files/fetch')) return fetch(address, init);
      const { url } = JSON.parse(String(init!.body)) as { url: string };
      const { steps } = all.find((link) => link.url === url)!;
      const text = steps.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
  }, links);
  for (const { url } of links) await openDialog(page, url);
  await page.waitForTimeout(500);
}

const sources = { sources: 'device url', label: 'Photos' };
const many = { ...sources, multiple: true };
const add =
  (...names: string[]) =>
  (page: Page) =>
    addLinks(page, names);

/** States of files from links. */
export const linkScenes: Readonly<Record<string, Scene>> = {
  'link-menu': {
    attributes: many,
    act: async (page) => {
      await page.locator('svc-uploader .pick[aria-haspopup]').click();
    },
  },
  'link-dialog': { attributes: many, act: (page) => openDialog(page) },
  'link-problem': { attributes: many, act: (page) => openDialog(page, 'ftp://example.com/a') },
  'link-problem-long': { attributes: many, act: (page) => openDialog(page, 'my photo') },
  'link-dialog-rtl': { attributes: { ...many, locale: 'ar' }, act: (page) => openDialog(page, 'my photo') },
  'link-list': { attributes: many, act: add('opening', 'unknown', 'known', 'missing', 'private') },
  'link-single': { attributes: sources, act: add('unknown') },
  'link-failed': { attributes: sources, act: add('unreachable') },
  'link-grid': {
    attributes: { ...many, appearance: 'grid' },
    act: add('opening', 'unknown', 'known', 'missing'),
  },
  'link-avatar': { attributes: { ...sources, appearance: 'avatar' }, act: add('unknown') },
  'link-avatar-square': {
    attributes: { ...sources, appearance: 'avatar', shape: 'square' },
    act: add('unknown'),
  },
  'link-avatar-failed': { attributes: { ...sources, appearance: 'avatar' }, act: add('missing') },
  'link-inline': { attributes: { ...sources, appearance: 'inline' }, act: add('unknown') },
};
