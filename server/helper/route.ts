import { toErrorBody } from '../../src/protocol/error-response.js';
import { BlobError, TOKEN_REFUSED_MESSAGE, validationError } from '../../src/protocol/errors.js';
import { UPLOAD_TOKEN } from '../../src/protocol/limits.js';
import type { ChosenFile, TokenGrant } from '../../src/protocol/types.js';
import { validateMintOptions } from './mint-options.js';
import type { MintOptions } from './mint-options.js';
import type { TokenMinter } from './minter.js';
import { admitOrigin, validateOrigins } from './origins.js';
import { hideCause, toPageError, readRetryAfter, safeReporter } from './page-errors.js';
import { createPreviews, selectVisible } from './previews.js';
import type { FilePreview, Preview } from './previews.js';
import { LIMITS_REASON, PREVIEW_REASON, readTokenRequest } from './token-request.js';

/** Handles a request for a token. Never rejects. */
export type TokenRoute = (request: Request) => Promise<Response>;

/** A page's request for a token, for `authorize`. */
export interface TokenQuestion {
  /** The HTTP request. Identify the person by its cookies or headers. Its body has been read. */
  request: Request;
  /** The chosen files as the page states them, none if the reason is `limits`. Only the options of the token limit the upload. */
  files: readonly ChosenFile[];
  /**
   * Reason of the page's request: `start`, `expiring`, `exhausted`, `invalid` or `retry`. With `limits`, the page asks for the limits
   * before a file is chosen: `files` is empty, and no token is minted.
   */
  reason: string;
  /** Aborts when the page disconnects. */
  signal: AbortSignal;
}

/** The result of `authorize`: the options of the token, or a refusal. */
export type Granted = MintOptions | null | undefined | false;

/**
 * Decides what a page may upload.
 * To grant, return the token's options: a plain object with `path`, `prefix` or `anywhere: true`. Without `max_uses` the token is
 * for the number of chosen files, at most 100. Invalid options mint nothing and are reported to `onError`.
 * To refuse, return null or false, or throw a BlobError. Its code, message and details are sent to the page. The element displays
 * the message of a `TOKEN_REFUSED`. Errors of a minter, such as those of `minter.file()`, and all other errors are reported to
 * `onError` and hidden from the page.
 */
export type Authorize = (question: TokenQuestion) => Granted | Promise<Granted>;

/** The limits that a token would have; null for none. */
export interface TokenLimits {
  max_size: number | null;
  allowed_extensions: readonly string[] | null;
  /** Whether the page may let the service fetch files from URLs. */
  allow_fetch: boolean;
  max_uses: number | null;
}

/** Options of `createTokenRoute`. */
export interface TokenRouteOptions {
  /** Decides what a page may upload. */
  authorize: Authorize;
  /**
   * Decides which stored images a page may show, with `fetch-previews`. `minter` then needs a key with `blob:read`.
   * @default none, and pages get no previews
   */
  preview?: Preview;
  /** Other origins whose pages may request tokens, with credentials. @default none, only the route's own origin */
  origins?: readonly string[];
  /** Longest request body, in bytes. A longer one gets status 413. @default 262144 */
  maxBodyBytes?: number;
  /** Receives every error that is hidden from the page, with its cause. @default console.error */
  onError?: (error: unknown) => unknown;
}

const UNCACHED_HEADERS = { 'cache-control': 'no-store', vary: 'origin', 'x-content-type-options': 'nosniff' };

/**
 * Creates a token route for backends with web-standard `Request` and `Response`. `toNodeHandler` adapts it to Node frameworks.
 * The response contains `{token, url, expires_at, max_uses, max_size, allowed_extensions, allow_fetch}`, or the
 * error `{code, message, path?, details?}`. A page that asks with the reason `limits` gets `{limits}` and no token, and with the reason `preview`
 * `{previews}` of the files that `preview` returns.
 * @returns a function that never rejects
 * @throws BlobError `VALIDATION_ERROR` for invalid `origins`
 * @example
 * export const POST = createTokenRoute(minter, {
 *   async authorize({ request }) {
 *     const user = await findUser(request);
 *     if (!user) return null; // refused
 *     return { prefix: `users/${user.id}`, max_size: 10_000_000 };
 *   },
 * });
 * @see docs/guides/upload-tokens.md
 */
export function createTokenRoute(minter: TokenMinter, options: TokenRouteOptions): TokenRoute {
  const { authorize, preview, maxBodyBytes = 262_144 } = options;
  const report = safeReporter(options.onError ?? console.error);
  const listed = validateOrigins(options.origins ?? []);

  /** Answers a page's request. @throws BlobError for the page */
  async function answer(request: Request): Promise<TokenGrant | { limits: TokenLimits } | { previews: FilePreview[] }> {
    const { files, reason, ids, size } = await readTokenRequest(request, maxBodyBytes);
    const { signal } = request;
    if (reason !== PREVIEW_REASON) {
      const granted = await ask(signal, () => authorize({ request, files, reason, signal }));
      return reportErrors<TokenGrant | { limits: TokenLimits }>(signal, () =>
        reason === LIMITS_REASON ? { limits: limitsOf(granted) } : mintGranted(minter, granted, files.length, signal),
      );
    }
    if (preview === undefined) throw validationError('reason', 'must not be `preview`, because the route has no such option');
    const visible = await ask(signal, () => preview({ request, ids, signal }));
    return reportErrors(signal, async () => ({
      previews: await createPreviews(minter, selectVisible(ids, visible), size, signal),
    }));
  }

  const reportUnlessAborted = (signal: AbortSignal) => (error: unknown) => {
    if (!signal.aborted) report(error);
  };

  /** Calls a function of the site. @throws BlobError for the page, if the function refuses */
  async function ask<T>(signal: AbortSignal, decide: () => T | Promise<T>): Promise<NonNullable<T>> {
    let decision: T;
    try {
      decision = await decide();
    } catch (thrown) {
      throw toPageError(thrown, reportUnlessAborted(signal));
    }
    if (!decision) throw new BlobError('TOKEN_REFUSED', TOKEN_REFUSED_MESSAGE);
    return decision;
  }

  /** Hides errors from the page, and reports them to the site. */
  async function reportErrors<T>(signal: AbortSignal, act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      reportUnlessAborted(signal)(error);
      throw hideCause(error);
    }
  }

  return async function route(request) {
    let headers: Record<string, string> = UNCACHED_HEADERS;
    try {
      headers = { ...UNCACHED_HEADERS, ...admitOrigin(request, listed) };
      if (request.method === 'OPTIONS') return respondToPreflight(headers);
      if (request.method !== 'POST') throw new BlobError('METHOD_NOT_ALLOWED', 'Request a token with POST.');
      return Response.json(await answer(request), { headers });
    } catch (thrown) {
      const isForPage = thrown instanceof BlobError && thrown.status !== 0;
      if (!isForPage) report(thrown);
      return respondWithError(isForPage ? thrown : hideCause(thrown), headers);
    }
  };
}

/** Mints a token with one use for each chosen file, unless the site states `max_uses`. */
async function mintGranted(minter: TokenMinter, granted: unknown, fileCount: number, signal: AbortSignal): Promise<TokenGrant> {
  const uses = Math.min(fileCount, UPLOAD_TOKEN.maxUses.max);
  const created = await minter.mint({ max_uses: uses, ...validateGranted(granted) }, { signal });
  const { token, expires_at, max_uses, max_size, allowed_extensions, allow_fetch } = created;
  return { token, url: minter.publicUrl, expires_at, max_uses, max_size, allowed_extensions, allow_fetch };
}

function limitsOf(granted: unknown): TokenLimits {
  const { max_size = null, allowed_extensions = null, allow_fetch = false, max_uses = null } = validateGranted(granted);
  return { max_size, allowed_extensions, allow_fetch, max_uses };
}

/** Validates the options that `authorize` returned. @throws TypeError with the broken rule, for the site's log */
function validateGranted(granted: unknown): MintOptions {
  try {
    return validateMintOptions(granted);
  } catch (cause) {
    throw new TypeError(`\`authorize\` returned invalid options. ${(cause as Error).message}`, { cause });
  }
}

function respondWithError(error: BlobError, headers: Record<string, string>): Response {
  const wait = readRetryAfter(error);
  return Response.json(toErrorBody(error), {
    status: error.status,
    headers: {
      ...headers,
      ...(wait !== undefined && { 'retry-after': String(Math.ceil(wait)) }),
      ...(error.code === 'METHOD_NOT_ALLOWED' && { allow: 'POST, OPTIONS' }),
    },
  });
}

const respondToPreflight = (headers: Record<string, string>): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, authorization, x-csrf-token',
      'access-control-max-age': '7200',
    },
  });
