import { BlobError, fromErrorBody } from '../protocol/errors.js';
import { tokenProblem } from '../protocol/secrets.js';
import type { TokenGrant, UploadTokenSelf } from '../protocol/types.js';
import type { TokenLimits } from './limits.js';

/** An upload token in the page's hands. It lives in memory alone: never in a file's meta, a URL, a log or storage. */
export interface Token {
  readonly secret: string;
  /** Base address of Blob Storage without `/v1` and without a closing slash. */
  readonly endpoint: string;
  /** A `Date.now()` time; null when it is not known. */
  readonly expiresAt: number | null;
  readonly maxUses: number;
  readonly limits: TokenLimits;
  /** Uses that no file has been given yet; Infinity when the service does not tell. */
  usesLeft: number;
  /** The service refused it. */
  dead: boolean;
}

/** A token this close to its end (ms) is replaced before it is used. */
const EXPIRY_MARGIN = 10_000;

const fail = (message: string, cause?: unknown): BlobError =>
  new BlobError('TOKEN_SUPPLY_FAILED', message, cause === undefined ? {} : { cause });

/** @throws BlobError `TOKEN_SUPPLY_FAILED` that says what is wrong, without a character of what was supplied. */
export function assertTokenText(secret: unknown): asserts secret is string {
  const problem = typeof secret === 'string' && secret !== '' ? tokenProblem(secret) : 'There is no token in it.';
  if (problem !== undefined) throw fail(`What the token supply returned cannot be used. ${problem}`);
}

/** Whether a file it was given to may go with it. */
export const isAlive = (token: Token, now = Date.now()): boolean =>
  !token.dead && (token.expiresAt === null || token.expiresAt - now > EXPIRY_MARGIN);

/** Whether it can be given to another file. */
export const isUsable = (token: Token): boolean => isAlive(token) && token.usesLeft > 0;

type Facts = Pick<UploadTokenSelf, 'max_size' | 'allowed_extensions' | 'max_uses' | 'expires_at'> & { uses_left: number };

function make(secret: string, endpoint: string, facts: Facts | undefined): Token {
  const expiresAt = facts ? Date.parse(facts.expires_at) : Number.NaN;
  return {
    secret,
    endpoint,
    // A page's clock may be wrong: what looks expired on arrival is used until the service says so.
    expiresAt: expiresAt - Date.now() > EXPIRY_MARGIN ? expiresAt : null,
    maxUses: facts?.max_uses ?? Number.POSITIVE_INFINITY,
    limits: { maxSize: facts?.max_size ?? null, allowedExtensions: facts?.allowed_extensions ?? null },
    usesLeft: facts?.uses_left ?? Number.POSITIVE_INFINITY,
    dead: false,
  };
}

const trimmed = (address: string): string => address.replace(/\/+$/, '');

/**
 * Makes a token of what the page supplied. A grant tells its limits; a bare token is asked for them at the service.
 * @param endpoint the page's; a grant's own address stands in for an empty one
 * @throws BlobError `TOKEN_SUPPLY_FAILED`, or the network's or service's own when asking may succeed later
 */
export async function readToken(supplied: string | TokenGrant, endpoint: string, signal: AbortSignal): Promise<Token> {
  if (typeof supplied === 'string') {
    assertTokenText(supplied);
    const base = trimmed(endpoint);
    return make(supplied, base, await askSelf(supplied, base, signal));
  }
  const secret: unknown = supplied?.token;
  assertTokenText(secret);
  const facts = { ...supplied, uses_left: supplied.max_uses };
  return make(secret, trimmed(endpoint || (supplied.url ?? '')), supplied.max_uses === undefined ? undefined : facts);
}

/** @returns what the service knows of the token; undefined from a service that lacks the route. */
async function askSelf(secret: string, endpoint: string, signal: AbortSignal): Promise<Facts | undefined> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`${endpoint}/v1/upload-tokens/self`, {
      headers: { authorization: `Bearer ${secret}` },
      cache: 'no-store',
      credentials: 'omit',
      signal,
    });
    body = await response.json().catch(() => undefined);
  } catch (cause) {
    signal.throwIfAborted();
    throw new BlobError('NETWORK_ERROR', 'No answer came.', { cause });
  }
  if (response.ok) return (body as { response?: Facts } | undefined)?.response;
  const error = fromErrorBody(response.status, body);
  if (error.code === 'BLOB_UPLOAD_TOKEN_INVALID') throw fail('The token supplied is not valid.', error);
  if (response.status === 429 || response.status >= 500) throw error;
  return undefined;
}
