import { BlobError, fromErrorBody } from '../protocol/errors.js';
import { parseJson } from './answer.js';
import { tokenProblem } from '../protocol/secrets.js';
import type { TokenGrant, UploadTokenSelf } from '../protocol/types.js';
import type { TokenLimits } from './limits.js';

/** Milliseconds after which a request for a token is ended and made anew: what a page asks, and what is asked about its answer. */
export const TOKEN_TIMEOUT = 30_000;

/** A token this close to its end (ms) is replaced before it is used. */
const EXPIRY_MARGIN = 10_000;

const fail = (message: string, cause?: unknown): BlobError =>
  new BlobError('TOKEN_SUPPLY_FAILED', message, cause === undefined ? {} : { cause });

/** @throws BlobError `TOKEN_SUPPLY_FAILED` that says what is wrong, without a character of what was supplied. */
export function assertTokenText(secret: unknown): asserts secret is string {
  const problem = typeof secret === 'string' && secret !== '' ? tokenProblem(secret) : 'There is no token in it.';
  if (problem !== undefined) throw fail(`What the token supply returned cannot be used. ${problem}`);
}

type Facts = Pick<UploadTokenSelf, 'max_size' | 'allowed_extensions' | 'max_uses' | 'expires_at'> & { uses_left: number };

/**
 * An upload token in the page's hands. It lives in memory alone: never in a file's meta, a URL, a log or storage. Its text is
 * private, so that an item that a page prints or serialises does not show it.
 */
export class Token {
  readonly #secret: string;
  /** A `Date.now()` time; null when it is not known. */
  readonly expiresAt: number | null;
  readonly maxUses: number;
  readonly limits: TokenLimits;
  /** Uses that no file has been given yet; Infinity when the service does not tell. */
  usesLeft: number;
  /** The service refused it. */
  dead = false;

  /** @param endpoint base address of Blob Storage without `/v1` and without a closing slash */
  constructor(
    secret: string,
    readonly endpoint: string,
    facts: Facts | undefined,
  ) {
    const expiresAt = facts ? Date.parse(facts.expires_at) : Number.NaN;
    this.#secret = secret;
    // A page's clock may be wrong: what looks expired on arrival is used until the service says so.
    this.expiresAt = expiresAt - Date.now() > EXPIRY_MARGIN ? expiresAt : null;
    this.maxUses = facts?.max_uses ?? Number.POSITIVE_INFINITY;
    this.usesLeft = facts?.uses_left ?? Number.POSITIVE_INFINITY;
    this.limits = { maxSize: facts?.max_size ?? null, allowedExtensions: facts?.allowed_extensions ?? null };
  }

  /** The value of the one header it goes into. */
  get authorization(): string {
    return `Bearer ${this.#secret}`;
  }

  /** Whether a file it was given to may go with it. */
  get isAlive(): boolean {
    return !this.dead && (this.expiresAt === null || this.expiresAt - Date.now() > EXPIRY_MARGIN);
  }

  /** Whether it can be given to another file. */
  get isUsable(): boolean {
    return this.isAlive && this.usesLeft > 0;
  }

  isSame(other: Token): boolean {
    return this.#secret === other.#secret;
  }
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
    return new Token(supplied, base, await askSelf(supplied, base, signal));
  }
  const secret: unknown = supplied?.token;
  assertTokenText(secret);
  const facts = { ...supplied, uses_left: supplied.max_uses };
  return new Token(secret, trimmed(endpoint || (supplied.url ?? '')), supplied.max_uses === undefined ? undefined : facts);
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
    body = parseJson(await response.text());
  } catch (cause) {
    signal.throwIfAborted();
    throw new BlobError('NETWORK_ERROR', 'No answer came.', { cause });
  }
  if (response.ok) return (body as { response?: Facts } | undefined)?.response;
  const error = fromErrorBody(response.status, body, response.headers.get('retry-after'));
  if (error.code === 'BLOB_UPLOAD_TOKEN_INVALID') throw fail('The token supplied is not valid.', error);
  if (response.status === 429 || response.status >= 500) throw error;
  return undefined;
}
