import { BlobError, fromErrorBody, isRetryable, retryAfterSeconds } from '../../src/protocol/errors.js';
import { redirectError } from '../../src/protocol/redirects.js';

export interface ServiceClientOptions {
  apiKey: string;
  /** Base address without `/v1`. */
  url: string;
  fetch: typeof fetch;
  workspaceId: string | undefined;
  /** Tries after the first. */
  retries: number;
  /** Milliseconds one try may take. */
  timeout: number;
  /** Longest wait between two tries that is still worth a request's time, milliseconds. */
  maxWait: number;
}

export interface ServiceRequest {
  method: 'GET' | 'POST';
  /** Below the base address: `/v1/…`. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  signal: AbortSignal | undefined;
}

/** Waits as long, or rejects with the signal's reason at once. */
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

/** Exponential with full jitter, so that many backends refused at once do not return at once. Milliseconds. */
const backoff = (attempt: number): number => Math.random() * Math.min(8000, 250 * 2 ** attempt);

/**
 * One way to ask the service with an API key: retries what can succeed, and lets the key reach nothing but the header.
 * @returns a function that resolves with what stands under `response`, or throws BlobError.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const { apiKey, url, retries, timeout, maxWait } = options;
  const redact = (text: string): string => text.replaceAll(apiKey, '[API key]');

  async function once(request: ServiceRequest): Promise<{ value: unknown } | { error: BlobError; wait: number | undefined }> {
    const address = new URL(url + request.path);
    for (const [name, value] of Object.entries(request.query ?? {})) address.searchParams.set(name, value);
    if (options.workspaceId !== undefined) address.searchParams.set('workspace_id', options.workspaceId);
    const limit = AbortSignal.timeout(timeout);
    let status: number;
    let text: string;
    let header: string | null;
    try {
      const response = await options.fetch(address, {
        method: request.method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        // A key must not follow a redirect to wherever it points.
        redirect: 'manual',
        signal: request.signal ? AbortSignal.any([request.signal, limit]) : limit,
      });
      const redirect = redirectError({
        response,
        location: redact(response.headers.get('location') ?? '') || null,
        base: url,
        path: request.path,
        setting: 'url',
      });
      if (redirect) {
        await response.body?.cancel();
        return { error: redirect, wait: undefined };
      }
      status = response.status;
      header = response.headers.get('retry-after');
      text = redact(await response.text());
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      const why = limit.aborted ? `gave no answer within ${timeout} ms` : 'could not be reached';
      return {
        error: new BlobError('NETWORK_ERROR', `Blob Storage at ${url} ${why}.`, { cause: safeCause(error) }),
        wait: undefined,
      };
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    if (status >= 200 && status < 300 && typeof body === 'object' && body !== null && 'response' in body)
      return { value: (body as { response: unknown }).response };
    const error =
      status >= 200 && status < 300
        ? new BlobError('UNEXPECTED_ANSWER', `${url} answered ${status} without a "response".`, { status })
        : fromErrorBody(status, body);
    return { error, wait: retryAfterSeconds(error, header) };
  }

  /** What fetch threw, without anything that a custom fetch may have put into it. */
  function safeCause(error: unknown): Error {
    const inner = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    const cause = new Error(redact(error instanceof Error ? error.message + inner : String(error)));
    cause.name = error instanceof Error ? error.name : 'Error';
    return cause;
  }

  return async function call(request: ServiceRequest): Promise<unknown> {
    try {
      request.signal?.throwIfAborted();
      for (let attempt = 0; ; attempt++) {
        const result = await once(request);
        if ('value' in result) return result.value;
        const wait = Math.max((result.wait ?? 0) * 1000, backoff(attempt));
        if (attempt >= retries || !isRetryable(result.error) || wait > maxWait) throw result.error;
        await sleep(wait, request.signal);
      }
    } catch (error) {
      if (error instanceof BlobError) throw error;
      throw new BlobError('ABORTED', 'The call to Blob Storage was aborted.', { cause: error });
    }
  };
}
