import { BlobError, TOKEN_REFUSED_MESSAGE, toErrorBody } from '../../src/protocol/errors.js';
import { UPLOAD_TOKEN } from '../../src/protocol/limits.js';
import type { ChosenFile, TokenGrant } from '../../src/protocol/types.js';
import { validateMintOptions } from './mint-options.js';
import type { MintOptions } from './mint-options.js';
import type { TokenMinter } from './minter.js';
import { admitOrigin, validateOrigins } from './origins.js';
import { hideCause, toPageError, readRetryAfter, safeReporter } from './page-errors.js';
import { readTokenRequest } from './token-request.js';

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

export type Granted = MintOptions | null | undefined | false;

/**
 * Decides what a page may upload.
 * To grant, return the token's options: a plain object with `path`, `prefix` or `anywhere: true`. Without `max_uses` the token is
 * for the number of chosen files, at most 100. Options that cannot be granted mint nothing and are reported to `onError`.
 * To refuse, return null or false, or throw a BlobError of your own. Its code, message and details go to the page; the element
 * shows people the message of a `TOKEN_REFUSED`. Errors of a minter, such as a rejection of `minter.file()`, and all other errors
 * are reported to `onError` and hidden from the page.
 */
export type Authorize = (question: TokenQuestion) => Granted | Promise<Granted>;

export interface TokenRouteOptions {
  authorize: Authorize;
  /** Other origins whose pages may ask, with credentials. @default none: only pages of the route's own origin */
  origins?: readonly string[];
  /** Longest request body, bytes. @default 262144 */
  maxBodyBytes?: number;
  /** Receives every error that the page does not get to see, with its cause. @default console.error */
  onError?: (error: unknown) => unknown;
}

const NEVER_CACHED = { 'cache-control': 'no-store', vary: 'origin', 'x-content-type-options': 'nosniff' };

/**
 * A route for any backend that speaks the web's Request and Response; `toNodeHandler` mounts it on the rest. It answers
 * `{token, url, expires_at, max_uses, max_size, allowed_extensions}`, or the error envelope `{code, message, path?, details?}`.
 * The returned function never rejects.
 * @example
 * export const POST = createTokenRoute(minter, {
 *   async authorize({ request }) {
 *     const user = await userOf(request);
 *     if (!user) return null; // refused
 *     return { prefix: `users/${user.id}`, max_size: 10_000_000 };
 *   },
 * });
 */
export function createTokenRoute(minter: TokenMinter, options: TokenRouteOptions): TokenRoute {
  const { authorize, maxBodyBytes = 262_144 } = options;
  const report = safeReporter(options.onError ?? console.error);
  const listed = validateOrigins(options.origins ?? []);

  /** @throws BlobError for the page */
  async function grant(request: Request): Promise<TokenGrant> {
    const { files, reason } = await readTokenRequest(request, maxBodyBytes);
    const { signal } = request;
    const reportUnlessGone = (error: unknown) => {
      if (!signal.aborted) report(error);
    };
    let granted: Granted;
    try {
      granted = await authorize({ request, files, reason, signal });
    } catch (thrown) {
      throw toPageError(thrown, reportUnlessGone);
    }
    if (!granted) throw new BlobError('TOKEN_REFUSED', TOKEN_REFUSED_MESSAGE);
    try {
      const tokenOptions = checkGranted(granted);
      const uses = Math.min(files.length, UPLOAD_TOKEN.maxUses.max);
      const created = await minter.mint({ max_uses: uses, ...tokenOptions }, { signal });
      const { token, expires_at, max_uses, max_size, allowed_extensions } = created;
      return { token, url: minter.publicUrl, expires_at, max_uses, max_size, allowed_extensions };
    } catch (error) {
      reportUnlessGone(error);
      throw hideCause(error);
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
      const isForPage = thrown instanceof BlobError && thrown.status !== 0;
      if (!isForPage) report(thrown);
      const error = isForPage ? thrown : hideCause(thrown);
      const wait = readRetryAfter(error);
      if (wait !== undefined) headers = { ...headers, 'retry-after': String(Math.ceil(wait)) };
      if (error.code === 'METHOD_NOT_ALLOWED') headers = { ...headers, allow: 'POST, OPTIONS' };
      return Response.json(toErrorBody(error), { status: error.status, headers });
    }
  };
}

/** Checks what `authorize` returned. @throws TypeError that names the rule, for the site's log */
function checkGranted(granted: unknown): MintOptions {
  try {
    return validateMintOptions(granted);
  } catch (cause) {
    throw new TypeError(`authorize returned options that cannot be granted. ${(cause as Error).message}`, { cause });
  }
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
