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
