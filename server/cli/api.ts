import type { Command } from 'commander';
import { fromErrorBody } from '../../src/protocol/error-response.js';
import { BlobError } from '../../src/protocol/errors.js';
import { redirectError } from '../../src/protocol/redirects.js';
import { trimEndCharacters } from '../../src/protocol/trim.js';
import { environmentVariable } from './environment.js';
import { UsageError } from './errors.js';
import { readSecret } from './secrets.js';

export interface ApiFlags {
  url?: string;
  apiKey?: string;
  apiKeyFile?: string;
  json?: boolean;
}

/** Adds the flags of commands that use the REST API. */
export const addApiFlags = (command: Command): Command =>
  command
    .option('--url <address>', 'address of the service, such as http://localhost:8080 (env: SVC_BLOB_URL)')
    .option('--api-key <key>', 'API key, svc_live_…; other users see it in the process list (env: SVC_API_KEY)')
    .option('--api-key-file <file>', 'file with the API key; - reads standard input (env: SVC_API_KEY_FILE)')
    .option('--json', 'print one JSON object per line on standard output');

/** Returns the address of the service without a final slash, once a request has been sent. */
export const readUrl = (flags: ApiFlags): string =>
  trimEndCharacters(flags.url ?? environmentVariable('SVC_BLOB_URL') ?? '', '/');

/**
 * Reads the address of the service and the API key from flags or variables.
 * @throws UsageError if one of them is missing
 */
function readApiOptions(flags: ApiFlags): { url: string; apiKey: string } {
  const url = flags.url ?? environmentVariable('SVC_BLOB_URL');
  const apiKey = readSecret({
    flagName: '--api-key',
    flag: flags.apiKey,
    file: flags.apiKeyFile,
    variableName: 'SVC_API_KEY',
  });
  if (url === undefined || apiKey === undefined) throw missingSettings({ url, apiKey });
  return { url: trimEndCharacters(url, '/'), apiKey };
}

/** Names all settings that are missing at once. */
function missingSettings({ url, apiKey }: { url: string | undefined; apiKey: string | undefined }): UsageError {
  const lacking = [
    ...(url === undefined ? ['the address of the service: set --url or SVC_BLOB_URL, such as http://localhost:8080'] : []),
    ...(apiKey === undefined
      ? ['an API key: set SVC_API_KEY or --api-key-file. Where the data is, svc-blob keys create prints a key']
      : []),
  ];
  return new UsageError(['the command needs credentials', ...lacking].join('\n- '));
}

/**
 * Sends one request with the API key. Redirects are not followed, because they could lead the key elsewhere.
 * @throws UsageError if the address or the key is missing
 * @throws BlobError the error of the service; `NETWORK_ERROR` without a response; `UNEXPECTED_ANSWER` for a redirect
 */
export async function sendRequest(
  flags: ApiFlags,
  method: string,
  path: string,
  init: RequestInit & { duplex?: 'half' } = {},
): Promise<Response> {
  const { url, apiKey } = readApiOptions(flags);
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

/** Sends one request with a JSON body, or without a body. @returns the field `response` of the response */
export async function callApi<T>(flags: ApiFlags, method: string, path: string, body?: unknown): Promise<T> {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const response = await sendRequest(flags, method, path, init);
  return ((await response.json()) as { response: T }).response;
}

/** Empty pages in a row after which a list ends with an error. The service itself sends none. */
const MAX_EMPTY_PAGES = 10;

/**
 * Reads a list of the API page by page.
 * @param entriesOf returns the number of entries of a page
 * @throws BlobError `UNEXPECTED_ANSWER` if the service repeats a page or sends only empty ones
 */
export async function* readPages<T extends { cursor: string | null }>(
  flags: ApiFlags,
  path: string,
  query: Record<string, string>,
  entriesOf: (page: T) => number,
): AsyncGenerator<T> {
  let emptyPages = 0;
  for (let cursor: string | null = null; ;) {
    const parameters = new URLSearchParams({ limit: '1000', ...query, ...(cursor !== null && { cursor }) });
    const page: T = await callApi<T>(flags, 'GET', `${path}?${parameters}`);
    yield page;
    emptyPages = entriesOf(page) === 0 ? emptyPages + 1 : 0;
    if (page.cursor === null) return;
    if (page.cursor === cursor || emptyPages >= MAX_EMPTY_PAGES)
      throw new BlobError('UNEXPECTED_ANSWER', 'The service reports more entries, but sends only empty or repeated pages.');
    ({ cursor } = page);
  }
}
