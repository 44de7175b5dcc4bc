import { ApiError } from './api-error.js';

/** Query parameters. An undefined one is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CallOptions {
  signal: AbortSignal;
  query?: Query;
  body?: object;
}

/** Attempts of a request that reads, when the service is busy. */
const ATTEMPTS = 3;
const LONGEST_WAIT_SECONDS = 8;

/** Codes of a workspace in which the user lost a permission or the membership. */
const NO_ACCESS: readonly string[] = ['WORKSPACE_PERMISSION_DENIED', 'WORKSPACE_NOT_FOUND'];

/** Callbacks of an `Api` for refusals that concern the whole page. */
export interface ApiEvents {
  /** The session has ended. */
  signedOut(): void;
  /** The user may not do something in a workspace. */
  accessDenied(): void;
}

/** Sends requests to the REST API with the session cookie of this origin. */
export class Api {
  /** @param workspaceId the workspace whose storage the requests use. @default the own storage */
  constructor(
    readonly events: ApiEvents,
    readonly workspaceId?: string | undefined,
  ) {}

  get = <T>(path: string, options: Omit<CallOptions, 'body'>): Promise<T> => this.#call('GET', path, options);
  post = <T>(path: string, options: CallOptions): Promise<T> => this.#call('POST', path, options);
  put = <T>(path: string, options: CallOptions): Promise<T> => this.#call('PUT', path, options);
  patch = <T>(path: string, options: CallOptions): Promise<T> => this.#call('PATCH', path, options);
  delete = <T = null>(path: string, options: CallOptions): Promise<T> => this.#call('DELETE', path, options);

  /** Returns the address of a route, for links, images and downloads. */
  url(path: string, query: Query = {}): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, workspace_id: this.workspaceId }))
      if (value !== undefined) parameters.set(name, String(value));
    const text = parameters.toString();
    return text === '' ? path : `${path}?${text}`;
  }

  async #call<T>(method: string, path: string, { signal, query, body }: CallOptions): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send<T>(method, this.url(path, query), signal, body);
      } catch (error) {
        const wait = method === 'GET' && attempt < ATTEMPTS ? secondsBeforeRetry(error) : undefined;
        if (wait === undefined) throw error;
        await sleep(wait * 1000, signal);
      }
    }
  }

  async #send<T>(method: string, url: string, signal: AbortSignal, body: object | undefined): Promise<T> {
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        signal,
        credentials: 'same-origin',
        headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new ApiError('NETWORK_ERROR', String(error), 0);
    }
    const payload = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    signal.throwIfAborted();
    if (response.ok) return payload['response'] as T;
    const {
      code = 'INTERNAL_SERVER_ERROR',
      message = '',
      details,
    } = payload as {
      code?: string;
      message?: string;
      details?: Record<string, unknown>;
    };
    // A wrong password in a form does not end the session.
    if (response.status === 401 && code !== 'INVALID_CREDENTIALS') this.events.signedOut();
    if (NO_ACCESS.includes(code)) this.events.accessDenied();
    const retryAfter = Number(response.headers.get('retry-after'));
    throw new ApiError(
      code,
      message,
      response.status,
      { ...(retryAfter > 0 && { retry_after: retryAfter }), ...details },
      response.headers.get('x-request-id') ?? undefined,
    );
  }
}

/** @returns undefined if another attempt would not help, or only much later */
function secondsBeforeRetry(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || ![429, 503].includes(error.status)) return undefined;
  const seconds = Number(error.details['retry_after'] ?? 1);
  return seconds <= LONGEST_WAIT_SECONDS ? seconds : undefined;
}

/** Waits. @throws the reason of the signal when it is aborted */
export const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });
