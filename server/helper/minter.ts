import { describeValue } from '../../src/protocol/describe-value.js';
import { BlobError, validationError } from '../../src/protocol/errors.js';
import type { CreatedUploadToken, FileRecord } from '../../src/protocol/types.js';
import { validateApiKey, validateBaseUrl } from './credentials.js';
import { validateMintOptions } from './mint-options.js';
import type { MintOptions } from './mint-options.js';
import { markInternal } from './page-errors.js';
import { createServiceClient } from './service-client.js';

/** Options of `createTokenMinter`. */
export interface TokenMinterOptions {
  /**
   * An API key with the scope `blob:write`, and `blob:read` for `file`, `fileById` and `link`. It is sent to `url` only. Undefined, as from an
   * environment variable that is not set, throws an error.
   */
  apiKey: string | undefined;
  /** The base address of Blob Storage for this process, without `/v1`. */
  url: string;
  /** The base address of Blob Storage for browsers, without `/v1`. @default url */
  publicUrl?: string;
  /** The id of a workspace, to use the storage of its owner. @default the storage of the key's account */
  workspaceId?: string;
  /** The function that sends requests. @default the global fetch */
  fetch?: typeof fetch;
  /** Most attempts after the first, from 0. Network errors, 408, 425, 429 and 5xx except 501 and 507 are retried. @default 3 */
  retries?: number;
  /** Milliseconds that one attempt may take, from 0. @default 10000 */
  timeout?: number;
  /** Longest delay before a retry, in milliseconds from 0. If `Retry-After` demands a longer one, the call fails at once. @default 20000 */
  maxWait?: number;
}

/** Options of a call of a minter. */
export interface CallOptions {
  /** Aborts the call with the code `ABORTED`. */
  signal?: AbortSignal | undefined;
}

/** Options of a temporary link. */
export interface LinkOptions {
  /** Seconds until the link expires, 1 to 604800. @default 3600 */
  expires_in?: number;
  /** Opens this resized image instead of the file: at least `w` or `h`, in pixels. */
  transform?: {
    w?: number;
    h?: number;
    fit?: 'cover' | 'contain';
    format?: 'auto' | 'avif' | 'webp' | 'jpeg' | 'png';
    q?: number;
  };
}

/** A temporary link to a file. Everyone who has it can read the file until it expires. */
export interface FileLink {
  url: string;
  expires_at: string;
}

/** Mints upload tokens with an API key. Its properties and errors do not contain the key. */
export interface TokenMinter {
  /** The base address of Blob Storage for browsers. */
  readonly publicUrl: string;
  /**
   * Mints an upload token. All options are validated before a request is sent.
   * @param options must contain `path`, `prefix` or `anywhere: true`. An option that is present but undefined is refused.
   * @throws BlobError `VALIDATION_ERROR` or `INVALID_PATH` that names field and rule, an error of the service such as
   * `API_KEY_SCOPE_DENIED`, `NETWORK_ERROR`, `UNEXPECTED_ANSWER` or `ABORTED`
   * @example await minter.mint({ prefix: `users/${user.id}`, max_size: 10_000_000, max_uses: 3 });
   */
  mint(options: MintOptions, call?: CallOptions): Promise<CreatedUploadToken>;
  /**
   * Returns the file at exactly this path. Use it to verify the path that a form submits, because visitors can change it.
   * @returns null if there is no such file
   * @throws BlobError an error of the service, `NETWORK_ERROR`, `UNEXPECTED_ANSWER` or `ABORTED`
   */
  file(path: string, call?: CallOptions): Promise<FileRecord | null>;
  /**
   * Returns the file with this id. Use it to verify in `preview` whose files the ids are.
   * @returns null if there is no such file
   * @throws BlobError an error of the service, `VALIDATION_ERROR`, `NETWORK_ERROR`, `UNEXPECTED_ANSWER` or `ABORTED`
   */
  fileById(id: string, call?: CallOptions): Promise<FileRecord | null>;
  /**
   * Creates a temporary link to the file with this id, or to a resized image of it. The link ends with the API key and inherits its allowed IPs.
   * @throws BlobError `FILE_NOT_FOUND`, another error of the service, `VALIDATION_ERROR`, `NETWORK_ERROR`, `UNEXPECTED_ANSWER` or `ABORTED`
   * @example await minter.link(file.id, { expires_in: 300 });
   */
  link(id: string, options?: LinkOptions, call?: CallOptions): Promise<FileLink>;
}

function validateInteger(value: number | undefined, fallback: number, field: string): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || value < 0)
    throw validationError(field, `must be an integer of at least 0; got ${describeValue(value)}`);
  return value;
}

/** @throws BlobError `VALIDATION_ERROR` */
function pathOfFile(id: unknown): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)) return `/v1/files/${id}`;
  throw validationError('id', `must be the id of a file; got ${describeValue(id)}`);
}

/**
 * Creates a minter of upload tokens for a site's backend. Keep the API key in the minter only.
 * @throws BlobError `VALIDATION_ERROR` for invalid options, and in a browser, because every visitor could read the API key
 * @example const minter = createTokenMinter({ apiKey: process.env.SVC_API_KEY, url: 'https://blob.example.com' });
 * @see docs/reference/helper.md
 */
export function createTokenMinter(options: TokenMinterOptions): TokenMinter {
  if ('window' in globalThis)
    throw validationError('apiKey', 'must stay on a server, but `createTokenMinter` was called with a global `window`');
  const url = validateBaseUrl(options.url, 'url');
  const publicUrl = options.publicUrl === undefined ? url : validateBaseUrl(options.publicUrl, 'publicUrl');
  const call = createServiceClient({
    apiKey: validateApiKey(options.apiKey),
    url,
    fetch: options.fetch ?? fetch,
    workspaceId: options.workspaceId,
    retries: validateInteger(options.retries, 3, 'retries'),
    timeout: validateInteger(options.timeout, 10_000, 'timeout'),
    maxWait: validateInteger(options.maxWait, 20_000, 'maxWait'),
  });

  return Object.freeze({
    publicUrl,
    async mint(options: MintOptions, { signal }: CallOptions = {}) {
      try {
        const { anywhere: _, ...body } = validateMintOptions(options);
        return (await call({ method: 'POST', path: '/v1/upload-tokens', body, signal })) as CreatedUploadToken;
      } catch (error) {
        throw markInternal(error);
      }
    },
    async file(path: string, { signal }: CallOptions = {}) {
      try {
        if (typeof path !== 'string') throw validationError('path', `must be a string; got ${describeValue(path)}`);
        // The service refuses a prefix with the character NUL.
        if (path === '' || path.includes('\0')) return null;
        // A list is sorted, so a path precedes all other paths that begin with it.
        const query = { prefix: path, limit: '1' };
        const { files } = (await call({ method: 'GET', path: '/v1/files', query, signal })) as { files: FileRecord[] };
        return files.find((file) => file.path === path) ?? null;
      } catch (error) {
        throw markInternal(error);
      }
    },
    async fileById(id: string, { signal }: CallOptions = {}) {
      try {
        return (await call({ method: 'GET', path: pathOfFile(id), signal })) as FileRecord;
      } catch (error) {
        if (error instanceof BlobError && error.code === 'FILE_NOT_FOUND') return null;
        throw markInternal(error);
      }
    },
    async link(id: string, options: LinkOptions = {}, { signal }: CallOptions = {}) {
      try {
        const path = `${pathOfFile(id)}/links`;
        const link = (await call({ method: 'POST', path, body: options, signal })) as FileLink;
        // The service may know only the address that this process uses.
        return link.url.startsWith(`${url}/`) ? { ...link, url: publicUrl + link.url.slice(url.length) } : link;
      } catch (error) {
        throw markInternal(error);
      }
    },
  });
}
