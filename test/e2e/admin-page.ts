import type { Page } from 'playwright-core';
import type { Product } from './product.js';

/** Patience for a busy machine. A missing result fails in any case. */
export const SOON = { timeout: 30_000 };

/** A key pair of the S3 endpoint. */
export interface KeyPair {
  access_key_id: string;
  secret_access_key: string;
}

/**
 * Makes the admin page use a proxy as its endpoint. The key pairs of the backend stay, but the first one seems to expire within a second,
 * so that the page must renew it before it sends anything.
 */
export const routeEndpointThrough = (page: Page, endpoint: string): Promise<unknown> =>
  page.addInitScript((endpoint) => {
    const { fetch } = globalThis;
    let grantCount = 0;
    globalThis.fetch = async (...args) => {
      const response = await fetch(...args);
      if (args[0] !== '/admin/keys' || !response.ok) return response;
      const grant = (await response.json()) as object;
      const ending = { expires_at: new Date(Date.now() + 1000).toISOString() };
      return Response.json({ ...grant, ...(++grantCount === 1 && ending), endpoint });
    };
  }, endpoint);

/** Opens the admin page and waits until it is connected. */
export async function openAdmin(page: Page, product: Product): Promise<void> {
  await page.goto(`${product.demo}/admin`);
  await page.waitForSelector('#connection-state[data-tone=good]');
}

/** Counts the uploaded files. */
export const countUploaded = (page: Page): Promise<number> =>
  page.$eval(
    '#uploader',
    (el) => (el as HTMLElementTagNameMap['svc-uploader']).uploads.filter((one) => one.state.status === 'done').length,
  );

/** Waits until all files are uploaded. */
export const waitUntilComplete = (page: Page) => page.waitForSelector('#uploader:state(complete)', { timeout: 90_000 });

/** Creates a key pair for the whole endpoint. */
export async function createKeyPair({ service, apiKey }: Product): Promise<KeyPair> {
  const response = await fetch(`${service}/v1/s3-credentials`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'mine', expires_in: 600 }),
  });
  return ((await response.json()) as { response: KeyPair }).response;
}

/** Revokes a key pair. */
export const revokeKeyPair = ({ service, apiKey }: Product, id: string): Promise<Response> =>
  fetch(`${service}/v1/s3-credentials/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${apiKey}` } });

/** Fills in fields of "Another store" and connects. */
export async function connectTo(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(() => (document.querySelector('#connection-state')!.textContent = ''));
  for (const [name, value] of Object.entries(fields)) await page.fill(`#location [name=${name}]`, value);
  await page.click('#connect');
}

export const readConnectionState = async (page: Page): Promise<string> =>
  (await page.locator('#connection-state').textContent())!;

/**
 * Waits until the page has counted the bytes again. It does so once a second while they move and for a few seconds afterwards. No event
 * tells that it has stopped, so the wait ends after one and a half seconds.
 */
export const waitForNextCount = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          observer.disconnect();
          resolve();
        });
        observer.observe(document.querySelector('#bytes-sent')!, { childList: true });
        setTimeout(resolve, 1500);
      }),
  );

/** Reads the text of the error panel. */
export const readErrorText = async (page: Page): Promise<string> => (await page.locator('#error-text').textContent())!;
