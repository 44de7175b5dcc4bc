import type { Command } from 'commander';
import { BlobError, fromErrorBody } from '../../src/protocol/errors.js';
import { redirectError } from '../../src/protocol/redirects.js';
import { apiOptions } from './environment.js';

export interface ApiFlags {
  url?: string;
  apiKey?: string;
  apiKeyFile?: string;
  json?: boolean;
}

/** Adds the flags of commands that use the REST API. */
export const withApiFlags = (command: Command): Command =>
  command
    .option('--url <address>', 'address of the service, such as http://localhost:8080 [SVC_BLOB_URL]')
    .option('--api-key <key>', 'API key, svc_live_…; visible in the process list [SVC_API_KEY]')
    .option('--api-key-file <file>', 'file with the API key; - reads standard input [SVC_API_KEY_FILE]')
    .option('--json', 'print one JSON object per line on stdout');

/**
 * Sends one request.
 * @throws BlobError the error of the service, `NETWORK_ERROR` without a response, `UNEXPECTED_ANSWER` for a redirect
 */
export async function send(
  flags: ApiFlags,
  method: string,
  path: string,
  init: RequestInit & { duplex?: 'half' } = {},
): Promise<Response> {
  const { url, apiKey } = apiOptions(flags);
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${apiKey}`);
  const response = await fetch(`${url}${path}`, { ...init, method, headers, redirect: 'manual' }).catch((cause: Error) => {
    throw new BlobError(
      'NETWORK_ERROR',
      `${url} does not respond: ${(cause.cause as Error | undefined)?.message ?? cause.message}`,
      { cause },
    );
  });
  const redirect = redirectError({
    response,
    location: response.headers.get('location'),
    base: url,
    path,
    setting: '--url or SVC_BLOB_URL',
  });
  if (redirect) {
    await response.body?.cancel();
    throw redirect;
  }
  if (!response.ok) throw fromErrorBody(response.status, await response.json().catch(() => undefined));
  return response;
}

/** Sends JSON, or no body, and returns the field `response`. */
export async function call<T>(flags: ApiFlags, method: string, path: string, body?: unknown): Promise<T> {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const response = await send(flags, method, path, init);
  return ((await response.json()) as { response: T }).response;
}

/** Successive pages without an entry. The service sends none. */
const MAX_EMPTY = 10;

/**
 * Reads a list of the API page by page.
 * @throws BlobError `UNEXPECTED_ANSWER` if the service repeats a page or sends only empty ones
 */
export async function* pages<T extends { cursor: string | null }>(
  flags: ApiFlags,
  path: string,
  query: Record<string, string>,
  entriesOf: (page: T) => number,
): AsyncGenerator<T> {
  let empty = 0;
  for (let cursor: string | null = null; ;) {
    const parameters = new URLSearchParams({ limit: '1000', ...query, ...(cursor !== null && { cursor }) });
    const page: T = await call<T>(flags, 'GET', `${path}?${parameters}`);
    yield page;
    empty = entriesOf(page) === 0 ? empty + 1 : 0;
    if (page.cursor === null) return;
    if (page.cursor === cursor || empty >= MAX_EMPTY)
      throw new BlobError('UNEXPECTED_ANSWER', 'The service says that there is more, but sends no further entries.');
    ({ cursor } = page);
  }
}
