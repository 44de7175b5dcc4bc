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

/** The flags of every command that works through the API. */
export const withApiFlags = (command: Command): Command =>
  command
    .option('--url <address>', 'the service, such as http://localhost:8080 [SVC_BLOB_URL]')
    .option('--api-key <key>', 'svc_live_…; visible in the process list [SVC_API_KEY]')
    .option('--api-key-file <file>', 'a file that holds the key; - is standard input [SVC_API_KEY_FILE]')
    .option('--json', 'one JSON object a line on stdout');

/** Sends one request. @throws BlobError as the service answers it, `NETWORK_ERROR` without an answer, `UNEXPECTED_ANSWER` for a redirect */
export async function send(
  flags: ApiFlags,
  method: string,
  path: string,
  init: RequestInit & { duplex?: 'half' } = {},
): Promise<Response> {
  const { url, apiKey } = apiOptions(flags);
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${apiKey}`);
  const answer = await fetch(`${url}${path}`, { ...init, method, headers, redirect: 'manual' }).catch((cause: Error) => {
    throw new BlobError(
      'NETWORK_ERROR',
      `${url} does not answer: ${(cause.cause as Error | undefined)?.message ?? cause.message}`,
      { cause },
    );
  });
  const redirect = redirectError({
    response: answer,
    location: answer.headers.get('location'),
    base: url,
    path,
    setting: '--url or SVC_BLOB_URL',
  });
  if (redirect) {
    await answer.body?.cancel();
    throw redirect;
  }
  if (!answer.ok) throw fromErrorBody(answer.status, await answer.json().catch(() => undefined));
  return answer;
}

/** Sends JSON (or nothing) and reads `response`. */
export async function call<T>(flags: ApiFlags, method: string, path: string, body?: unknown): Promise<T> {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  const answer = await send(flags, method, path, init);
  return ((await answer.json()) as { response: T }).response;
}

/** Pages without an entry, one after the other. The service sends none. */
const MAX_EMPTY = 10;

/**
 * Reads a list of the API page by page.
 * @throws BlobError `UNEXPECTED_ANSWER` when the service tells the same page again, or goes on without telling anything.
 */
export async function* pages<T extends { cursor: string | null }>(
  flags: ApiFlags,
  path: string,
  query: Record<string, string>,
  entriesOf: (page: T) => number,
): AsyncGenerator<T> {
  let empty = 0;
  for (let cursor: string | null = null; ;) {
    const all = new URLSearchParams({ limit: '1000', ...query, ...(cursor !== null && { cursor }) });
    const page: T = await call<T>(flags, 'GET', `${path}?${all}`);
    yield page;
    empty = entriesOf(page) === 0 ? empty + 1 : 0;
    if (page.cursor === null) return;
    if (page.cursor === cursor || empty >= MAX_EMPTY)
      throw new BlobError('UNEXPECTED_ANSWER', 'The service says that there is more, and does not tell it.');
    ({ cursor } = page);
  }
}
