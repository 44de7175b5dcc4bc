import { BlobError } from '../../protocol/errors.js';
import { readBaseAddress } from '../../protocol/base-address.js';
import { normalizeExtension } from '../../protocol/extensions.js';
import { fetchResponse, isSuccess, toBlobError } from '../transport/response.js';
import { findTokenProblem } from '../../protocol/token-format.js';
import { truncateText } from '../../protocol/display-text.js';
import type { SuppliedToken, TokenGrant } from '../../protocol/types.js';
import type { TokenLimits } from './token-limits.js';

/** Milliseconds after which a request for a token is aborted and repeated. */
export const TOKEN_TIMEOUT = 30_000;

/** Milliseconds before its expiry in which a token is not used any more. */
const EXPIRY_MARGIN_MS = 10_000;

const supplyError = (message: string, cause?: unknown): BlobError =>
  new BlobError('TOKEN_SUPPLY_FAILED', message, cause === undefined ? {} : { cause });

/** Checks the form and the prefix of a token. @throws BlobError `TOKEN_SUPPLY_FAILED`, without any part of the value */
export function assertTokenText(secret: unknown): asserts secret is string {
  const problem = typeof secret === 'string' && secret !== '' ? findTokenProblem(secret) : 'There is no token in it.';
  if (problem !== undefined) throw supplyError(`What the token supply returned cannot be used. ${problem}`);
}

/** The constraints of a token. A page's own route may omit fields or write them differently. */
type Constraints = Partial<
  Record<'max_size' | 'allowed_extensions' | 'allow_fetch' | 'max_uses' | 'uses_left' | 'expires_at', unknown>
>;

/** Reads a number of files; Infinity if it is unknown. */
const countOf = (value: unknown): number =>
  typeof value === 'number' && !Number.isNaN(value) ? Math.floor(value) : Number.POSITIVE_INFINITY;

/** Reads a list of extensions, or a text with commas. */
const extensionsOf = (value: unknown): string[] | null =>
  value === null || value === undefined
    ? null
    : String(value)
        .split(',')
        .flatMap((extension) => normalizeExtension(extension) ?? []);

/** Reads the limits of a token, or those that a token route states without a token. */
export const limitsOf = ({ max_size, allowed_extensions, allow_fetch }: Constraints): TokenLimits => ({
  maxSize: typeof max_size === 'number' ? max_size : null,
  allowedExtensions: extensionsOf(allowed_extensions),
  ...(typeof allow_fetch === 'boolean' && { allowFetch: allow_fetch }),
});

/**
 * An upload token. It exists in memory only, never in a URL, a log or storage. Its text is a private field, so a page that prints or
 * serializes a file does not reveal it.
 */
export class UploadToken {
  readonly #secret: string;
  /** A `Date.now()` time; null if it is unknown. */
  readonly expiresAt: number | null;
  readonly maxUses: number;
  readonly limits: TokenLimits;
  /** Uses that are not reserved for a file; Infinity if unknown. */
  usesLeft: number;
  /** The service refused the token. */
  isRefused = false;

  /** @param endpoint base address of Blob Storage without `/v1` and without a closing slash */
  constructor(
    secret: string,
    readonly endpoint: string,
    constraints: Constraints,
  ) {
    const expiresAt = Date.parse(String(constraints.expires_at));
    this.#secret = secret;
    // The clock of the device may be wrong. A token that seems expired on arrival is used until the service refuses it.
    this.expiresAt = expiresAt - Date.now() > EXPIRY_MARGIN_MS ? expiresAt : null;
    this.maxUses = countOf(constraints.max_uses);
    this.usesLeft = countOf(constraints.uses_left);
    this.limits = limitsOf(constraints);
  }

  /** The value of the `Authorization` header. */
  get authorization(): string {
    return `Bearer ${this.#secret}`;
  }

  /** Returns whether files that it is assigned to can be sent with it. */
  get isAlive(): boolean {
    return !this.isRefused && (this.expiresAt === null || this.expiresAt - Date.now() > EXPIRY_MARGIN_MS);
  }

  /** Returns whether it can be assigned to another file. */
  get isUsable(): boolean {
    return this.isAlive && this.usesLeft > 0;
  }

  isSame(other: UploadToken): boolean {
    return this.#secret === other.#secret;
  }
}

/**
 * Reads the token that the page supplied. A grant contains its constraints. For a bare token, the service is asked for them.
 * @param endpoint the endpoint of the page; '' to use that of the grant
 * @throws BlobError `TOKEN_SUPPLY_FAILED`, or a retryable error of the network or the service
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
      `The address of Blob Storage must be absolute, such as "https://blob.example.com"; got "${truncateText(String(address), 100)}".`,
    );
  return new UploadToken(
    secret,
    base,
    grant ? { ...grant, uses_left: grant.max_uses } : await fetchConstraints(secret, base, signal),
  );
}

/** Asks the service for the constraints of a token. @returns none if the service lacks the route */
async function fetchConstraints(secret: string, endpoint: string, signal: AbortSignal): Promise<Constraints> {
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetchResponse(`${endpoint}/v1/upload-tokens/self`, { headers, credentials: 'omit', signal });
  const { status, body } = response;
  if (isSuccess(response)) return Object((body as { response?: Constraints } | undefined)?.response) as Constraints;
  const error = toBlobError(response);
  if (error.code === 'BLOB_UPLOAD_TOKEN_INVALID') throw supplyError('The token supplied is not valid.', error);
  if (status === 429 || status >= 500) throw error;
  return {};
}
