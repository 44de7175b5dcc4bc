import { BlobError, REFUSED, isRetryable, toErrorBody } from '../../src/protocol/errors.js';
import { UPLOAD_TOKEN } from '../../src/protocol/limits.js';
import type { ChosenFile, TokenGrant, UploadTokenOptions } from '../../src/protocol/types.js';
import type { TokenMinter } from './minter.js';
import { admitOrigin, assertOrigins } from './origins.js';
import { readQuestion } from './question.js';

export type TokenRoute = (request: Request) => Promise<Response>;

export interface TokenQuestion {
  /** The page's request: its cookies and headers say who asks. Its body is already read. */
  request: Request;
  /** What the person chose, as the page tells it: a courtesy. The token's limits are what holds. */
  files: readonly ChosenFile[];
  /** Why the page needs a token: `start`, `expiring`, `exhausted`, `invalid` or `retry`. */
  reason: string;
  /** Aborts when the page no longer waits. */
  signal: AbortSignal;
}

export type Granted = UploadTokenOptions | null | undefined | false;

/**
 * Decides what a page may upload. Return the token's options to grant; return null or false, or throw a BlobError of your own (its
 * code and message go to the page, which shows people the message of a `TOKEN_REFUSED`), to refuse. `max_uses` left out becomes the
 * number of chosen files, at most 100.
 */
export type Authorize = (question: TokenQuestion) => Granted | Promise<Granted>;

export interface TokenRouteOptions {
  authorize: Authorize;
  /** Other origins whose pages may ask, with credentials. @default none: only pages of the route's own origin */
  origins?: readonly string[];
  /** Longest request body, bytes. @default 262144 */
  maxBodyBytes?: number;
  /** Told of every failure that is the backend's own. @default console.error */
  onError?: (error: unknown) => void;
}

const NEVER_CACHED = { 'cache-control': 'no-store', vary: 'origin', 'x-content-type-options': 'nosniff' };

/** What goes wrong between backend and service is not the page's business; it learns only whether to try again. */
function outward(error: unknown): BlobError {
  if (error instanceof BlobError && isRetryable(error)) {
    const wait = error.details['retry_after'];
    return new BlobError(
      error.status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'INTERNAL_SERVER_ERROR',
      'No token can be had just now.',
      {
        status: error.status === 429 ? 429 : 503,
        details: { retry_after: typeof wait === 'number' ? wait : 1 },
      },
    );
  }
  return new BlobError('INTERNAL_SERVER_ERROR', 'The upload could not be prepared.');
}

/**
 * A route for any backend that speaks the web's Request and Response; `toNodeHandler` mounts it on the rest. It answers
 * `{token, url, expires_at, max_uses, max_size, allowed_extensions}`, or the error envelope `{code, message, path?, details?}`.
 * @example export const POST = createTokenRoute(minter, { authorize: async ({ request }) => ({ prefix: await userOf(request) }) });
 */
export function createTokenRoute(minter: TokenMinter, options: TokenRouteOptions): TokenRoute {
  const { authorize, maxBodyBytes = 262_144, onError = console.error } = options;
  const listed = assertOrigins(options.origins ?? []);

  async function grant(request: Request): Promise<TokenGrant> {
    const { files, reason } = await readQuestion(request, maxBodyBytes);
    const { signal } = request;
    const granted = await authorize({ request, files, reason, signal });
    if (!granted) throw new BlobError('TOKEN_REFUSED', REFUSED);
    // A bare `true` would make a token without limits.
    if (typeof granted !== 'object')
      throw new TypeError(`authorize must return options such as { prefix }, or null, not ${granted}`);
    const uses = Math.min(files.length, UPLOAD_TOKEN.maxUses.max);
    try {
      const created = await minter.mint({ max_uses: uses, ...granted }, { signal });
      const { token, expires_at, max_uses, max_size, allowed_extensions } = created;
      return { token, url: minter.publicUrl, expires_at, max_uses, max_size, allowed_extensions };
    } catch (error) {
      if (!signal.aborted) onError(error);
      throw outward(error);
    }
  }

  return async function route(request) {
    let headers: Record<string, string> = NEVER_CACHED;
    try {
      headers = { ...NEVER_CACHED, ...admitOrigin(request, listed) };
      if (request.method === 'OPTIONS') return preflight(headers);
      if (request.method !== 'POST') throw new BlobError('METHOD_NOT_ALLOWED', 'Ask for a token with POST.');
      return Response.json(await grant(request), { headers });
    } catch (thrown) {
      const error = thrown instanceof BlobError && thrown.status !== 0 ? thrown : outward(thrown);
      if (thrown !== error) onError(thrown);
      const wait = error.details['retry_after'];
      if (typeof wait === 'number') headers = { ...headers, 'retry-after': String(Math.ceil(wait)) };
      if (error.code === 'METHOD_NOT_ALLOWED') headers = { ...headers, allow: 'POST, OPTIONS' };
      return Response.json(toErrorBody(error), { status: error.status, headers });
    }
  };
}

const preflight = (headers: Record<string, string>): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, authorization, x-csrf-token',
      'access-control-max-age': '7200',
    },
  });
