import type { Page } from 'playwright-core';
import type { Product } from './product.js';

/** A loaded machine is slow; what never comes fails all the same. */
export const SOON = { timeout: 30_000 };

/** A key pair of the S3 endpoint. */
export interface KeyPair {
  access_key_id: string;
  secret_access_key: string;
}

/**
 * Leads the admin page's way to the endpoint through a line whose bytes are counted; the pairs are the backend's own. The first is
 * made to look about to end: it has to be renewed before anything is sent with it.
 */
export const routeEndpointThrough = (page: Page, endpoint: string): Promise<unknown> =>
  page.addInitScript((endpoint) => {
    const { fetch } = globalThis;
    let asked = 0;
    globalThis.fetch = async (...args) => {
      const answer = await fetch(...args);
      if (args[0] !== '/admin/keys' || !answer.ok) return answer;
      const grant = (await answer.json()) as object;
      const ending = { expires_at: new Date(Date.now() + 1000).toISOString() };
      return Response.json({ ...grant, ...(++asked === 1 && ending), endpoint });
    };
  }, endpoint);

/** Opens the page, and waits until it is connected. */
export async function openAdmin(page: Page, product: Product): Promise<void> {
  await page.goto(`${product.demo}/admin`);
  await page.waitForSelector('#connection-state[data-tone=good]');
}

/** How many files are done. */
export const countUploaded = (page: Page): Promise<number> =>
  page.$eval(
    '#uploader',
    (el) => (el as HTMLElementTagNameMap['svc-uploader']).uploads.filter((one) => one.state.status === 'done').length,
  );

export const waitUntilComplete = (page: Page) => page.waitForSelector('#uploader:state(complete)', { timeout: 90_000 });

/** A pair of the whole endpoint. */
export async function createKeyPair({ service, apiKey }: Product): Promise<KeyPair> {
  const answer = await fetch(`${service}/v1/s3-credentials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'mine', expires_in: 600 }),
  });
  return ((await answer.json()) as { response: KeyPair }).response;
}

/** Takes a pair back. */
export const revokeKeyPair = ({ service, apiKey }: Product, id: string): Promise<Response> =>
  fetch(`${service}/v1/s3-credentials/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${apiKey}` } });

/** Fills in what is given of "Another store", and connects. */
export async function connectTo(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(() => (document.querySelector('#connection-state')!.textContent = ''));
  for (const [name, value] of Object.entries(fields)) await page.fill(`#location [name=${name}]`, value);
  await page.click('#connect');
}

export const readConnectionState = async (page: Page): Promise<string> =>
  (await page.locator('#connection-state').textContent())!;

/** Beside the list: why it stands still. */
export const readErrorText = async (page: Page): Promise<string> => (await page.locator('#error-text').textContent())!;
