import { BlobError } from '../../protocol/errors.js';
import { readBaseAddress } from '../../protocol/base-address.js';
import { normalizeExtension } from '../../protocol/extensions.js';
import { fetchResponse, toBlobError } from '../transport/response.js';
import { tokenProblem } from '../../protocol/token-format.js';
import { shorten } from '../../protocol/display-text.js';
import type { SuppliedToken, TokenGrant } from '../../protocol/types.js';
import type { TokenLimits } from './token-limits.js';

/** Milliseconds after which a request for a token is ended and made anew: what a page asks, and what is asked about its answer. */
export const TOKEN_TIMEOUT = 30_000;

/** A token this close to its end (ms) is replaced before it is used. */
const EXPIRY_MARGIN = 10_000;

const supplyError = (message: string, cause?: unknown): BlobError =>
  new BlobError('TOKEN_SUPPLY_FAILED', message, cause === undefined ? {} : { cause });

/** @throws BlobError `TOKEN_SUPPLY_FAILED` that says what is wrong, without a character of what was supplied. */
export function assertTokenText(secret: unknown): asserts secret is string {
  const problem = typeof secret === 'string' && secret !== '' ? tokenProblem(secret) : 'There is no token in it.';
  if (problem !== undefined) throw supplyError(`What the token supply returned cannot be used. ${problem}`);
}

/** What is told of a token; each field by itself, as a page's own route may leave some out or write them another way. */
type Facts = Partial<Record<'max_size' | 'allowed_extensions' | 'max_uses' | 'uses_left' | 'expires_at', unknown>>;

/** A number of files. A token carries whole files. */
const countOf = (value: unknown): number =>
  typeof value === 'number' && !Number.isNaN(value) ? Math.floor(value) : Number.POSITIVE_INFINITY;

/** A list, or its entries with commas between. */
const extensionsOf = (value: unknown): string[] | null =>
  value === null || value === undefined
    ? null
    : String(value)
        .split(',')
        .flatMap((one) => normalizeExtension(one) ?? []);

/**
 * An upload token in the page's hands. It lives in memory alone: never in a file's meta, a URL, a log or storage. Its text is
 * private, so that an item that a page prints or serialises does not show it.
 */
export class UploadToken {
  readonly #secret: string;
  /** A `Date.now()` time; null when it is not known. */
  readonly expiresAt: number | null;
  readonly maxUses: number;
  readonly limits: TokenLimits;
  /** Uses that no file has been given yet; Infinity when the service does not tell. */
  usesLeft: number;
  /** The service refused it. */
  isRefused = false;

  /** @param endpoint base address of Blob Storage without `/v1` and without a closing slash */
  constructor(
    secret: string,
    readonly endpoint: string,
    facts: Facts,
  ) {
    const expiresAt = Date.parse(String(facts.expires_at));
    this.#secret = secret;
    // A page's clock may be wrong: what looks expired on arrival is used until the service says so.
    this.expiresAt = expiresAt - Date.now() > EXPIRY_MARGIN ? expiresAt : null;
    this.maxUses = countOf(facts.max_uses);
    this.usesLeft = countOf(facts.uses_left);
    this.limits = {
      maxSize: typeof facts.max_size === 'number' ? facts.max_size : null,
      allowedExtensions: extensionsOf(facts.allowed_extensions),
    };
  }

  /** The value of the one header it goes into. */
  get authorization(): string {
    return `Bearer ${this.#secret}`;
  }

  /** Whether a file it was given to may go with it. */
  get isAlive(): boolean {
    return !this.isRefused && (this.expiresAt === null || this.expiresAt - Date.now() > EXPIRY_MARGIN);
  }

  /** Whether it can be given to another file. */
  get isUsable(): boolean {
    return this.isAlive && this.usesLeft > 0;
  }

  isSame(other: UploadToken): boolean {
    return this.#secret === other.#secret;
  }
}

/**
 * Makes a token of what the page supplied. A grant tells its limits; a bare token is asked for them at the service.
 * @param endpoint the page's; a grant's own address stands in for an empty one
 * @throws BlobError `TOKEN_SUPPLY_FAILED`, or the network's or service's own when asking may succeed later
 */
export async function readToken(supplied: string | SuppliedToken, endpoint: string, signal: AbortSignal): Promise<UploadToken> {
  const grant = typeof supplied === 'string' ? undefined : (Object(supplied) as Partial<TokenGrant>);
  const secret: unknown = grant ? grant.token : supplied;
  assertTokenText(secret);
  const address = endpoint || grant?.url;
  if (!address) throw supplyError('Nothing says where to upload: the token came without "url", and no endpoint is set.');
  const base = readBaseAddress(String(address));
  if (base === undefined)
    throw supplyError(
      `The address of Blob Storage must be absolute, such as "https://blob.example.com"; got "${shorten(String(address), 100)}".`,
    );
  return new UploadToken(secret, base, grant ? { ...grant, uses_left: grant.max_uses } : await askSelf(secret, base, signal));
}

/** @returns what the service knows of the token; nothing from a service that lacks the route. */
async function askSelf(secret: string, endpoint: string, signal: AbortSignal): Promise<Facts> {
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetchResponse(`${endpoint}/v1/upload-tokens/self`, { headers, credentials: 'omit', signal });
  const { status, body } = answer;
  if (status >= 200 && status < 300) return Object((body as { response?: Facts } | undefined)?.response) as Facts;
  const error = toBlobError(answer);
  if (error.code === 'BLOB_UPLOAD_TOKEN_INVALID') throw supplyError('The token supplied is not valid.', error);
  if (status === 429 || status >= 500) throw error;
  return {};
}
