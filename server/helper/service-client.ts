import { fromErrorBody, isRetryable, retryAfterSeconds } from '../../src/protocol/error-response.js';
import { BlobError } from '../../src/protocol/errors.js';
import { redirectError } from '../../src/protocol/redirects.js';
import { backoffDelay } from '../../src/protocol/retry.js';

/** Milliseconds. Jitter keeps many backends that were refused at once from returning at once. */
const BACKOFF = { baseDelayMs: 250, maxDelayMs: 8000 };

export interface ServiceClientOptions {
  apiKey: string;
  /** Base address without `/v1`. */
  url: string;
  fetch: typeof fetch;
  workspaceId: string | undefined;
  /** Most attempts after the first. */
  retries: number;
  /** Milliseconds that one attempt may take. */
  timeout: number;
  /** Longest delay between two attempts, in milliseconds. If the service demands a longer one, the call fails at once. */
  maxWait: number;
}

export interface ServiceRequest {
  method: 'GET' | 'POST';
  /** Path after the base address, such as `/v1/files`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  signal: AbortSignal | undefined;
}

/** A response whose body was read. The API key is removed from its texts. */
interface ServiceResponse {
  status: number;
  /** Parsed JSON, or undefined. */
  body: unknown;
  retryAfter: string | null;
}

/** The result of an attempt: the `response` of the service, or an error and the seconds to wait before the next attempt. */
type Attempt = { value: unknown } | { error: BlobError; wait?: number | undefined };

/**
 * Creates a function that calls the service with an API key and retries failed requests. The key is sent in the `Authorization`
 * header only, and removed from all errors.
 * @returns a function that resolves with `response` of the service's JSON. It throws BlobErrors: errors of the service,
 * `NETWORK_ERROR`, `UNEXPECTED_ANSWER` or `ABORTED`.
 */
export function createServiceClient(options: ServiceClientOptions): (request: ServiceRequest) => Promise<unknown> {
  const { retries, maxWait } = options;
  return async function call(request) {
    try {
      request.signal?.throwIfAborted();
      for (let failures = 1; ; failures++) {
        const attempt = await tryOnce(options, request);
        if ('value' in attempt) return attempt.value;
        const delay = Math.max((attempt.wait ?? 0) * 1000, backoffDelay(failures, BACKOFF));
        if (failures > retries || !isRetryable(attempt.error) || delay > maxWait) throw attempt.error;
        await sleep(delay, request.signal);
      }
    } catch (error) {
      if (error instanceof BlobError) throw error;
      throw new BlobError('ABORTED', 'The call to Blob Storage was aborted.', { cause: error });
    }
  };
}

/** @throws the reason of the request's signal, if it aborted */
async function tryOnce(options: ServiceClientOptions, request: ServiceRequest): Promise<Attempt> {
  const timeout = AbortSignal.timeout(options.timeout);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  try {
    const response = await send(options, request, signal);
    return response instanceof BlobError ? { error: response } : readAttempt(response, options.url);
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    const problem = timeout.aborted ? `did not respond within ${options.timeout} ms` : 'could not be reached';
    const cause = redactError(error, options.apiKey);
    return { error: new BlobError('NETWORK_ERROR', `Blob Storage at ${options.url} ${problem}.`, { cause }) };
  }
}

/** Sends a request and reads its response. @returns an error for a redirect, which is not followed with an API key */
async function send(
  { apiKey, url, fetch, workspaceId }: ServiceClientOptions,
  { method, path, query, body }: ServiceRequest,
  signal: AbortSignal,
): Promise<ServiceResponse | BlobError> {
  const address = new URL(url + path);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, value);
  if (workspaceId !== undefined) address.searchParams.set('workspace_id', workspaceId);
  const response = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal,
  });
  const location = redact(response.headers.get('location') ?? '', apiKey) || null;
  const redirect = redirectError({ response, location, base: url, path, setting: 'url' });
  if (redirect) {
    await response.body?.cancel();
    return redirect;
  }
  const text = redact(await response.text(), apiKey);
  return { status: response.status, body: parseJson(text), retryAfter: response.headers.get('retry-after') };
}

function readAttempt({ status, body, retryAfter }: ServiceResponse, url: string): Attempt {
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && typeof body === 'object' && body !== null && 'response' in body) return { value: body.response };
  const error = isSuccess
    ? new BlobError('UNEXPECTED_ANSWER', `${url} responded with status ${status} but without a "response".`, { status })
    : fromErrorBody(status, body);
  return { error, wait: retryAfterSeconds(error, retryAfter) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const redact = (text: string, apiKey: string): string => text.replaceAll(apiKey, '[API key]');

/** Copies name and message of an error. Its other properties are left out, because a custom `fetch` may have put the key there. */
function redactError(error: unknown, apiKey: string): Error {
  const inner = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const copy = new Error(redact(error instanceof Error ? error.message + inner : String(error), apiKey));
  copy.name = error instanceof Error ? error.name : 'Error';
  return copy;
}

/** Resolves after the delay, or rejects with the reason of the signal. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
