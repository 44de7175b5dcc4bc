import { validationError } from '../../src/protocol/errors.js';
import type { CreatedUploadToken, FileRecord } from '../../src/protocol/types.js';
import { validateApiKey, validateBaseUrl } from './credentials.js';
import { validateMintOptions } from './mint-options.js';
import type { MintOptions } from './mint-options.js';
import { markInternal } from './page-errors.js';
import { createServiceClient } from './service-client.js';

export interface TokenMinterOptions {
  /** An API key with the scope `blob:write` (and `blob:read` for `file`). It stays in this process. A variable that is not set throws. */
  apiKey: string | undefined;
  /** Where this process reaches Blob Storage, without `/v1`. */
  url: string;
  /** Where browsers reach it, when that is another address. @default url */
  publicUrl?: string;
  /** Act on the storage of this workspace's owner. */
  workspaceId?: string;
  /** @default the global fetch */
  fetch?: typeof fetch;
  /** Tries after the first, for 429, 5xx and a network that failed. @default 3 */
  retries?: number;
  /** Milliseconds one try may take. @default 10000 */
  timeout?: number;
  /** A `Retry-After` beyond this many milliseconds is not waited for; the error tells it instead. @default 20000 */
  maxWait?: number;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Holds the key; none of its properties, errors or answers shows it. */
export interface TokenMinter {
  /** The address of Blob Storage for browsers. */
  readonly publicUrl: string;
  /**
   * Creates an upload token. All options are checked before anything is sent.
   * @param options must contain `path`, `prefix` or `anywhere: true`. An option that is present but undefined is refused.
   * @throws BlobError `VALIDATION_ERROR`/`INVALID_PATH` naming field and rule, or the service's own error, or `NETWORK_ERROR`,
   * or `ABORTED`.
   * @example await minter.mint({ prefix: `users/${user.id}`, max_size: 10_000_000, max_uses: 3 });
   */
  mint(options: MintOptions, call?: CallOptions): Promise<CreatedUploadToken>;
  /**
   * The record of the file at exactly this path, or null when there is none: a path that a form hands to a backend is a claim,
   * and this is how to check it.
   * @throws BlobError as `mint` does.
   */
  file(path: string, call?: CallOptions): Promise<FileRecord | null>;
}

function validateWholeNumber(value: number | undefined, fallback: number, field: string): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || value < 0) throw validationError(field, 'must be a whole number, 0 or more');
  return value;
}

/**
 * The one place where a site's API key lives.
 * @throws BlobError `VALIDATION_ERROR` where there is a `window`: a key in a page is a key given away.
 * @example const minter = createTokenMinter({ apiKey: process.env.SVC_API_KEY, url: 'https://blob.example.com' });
 */
export function createTokenMinter(options: TokenMinterOptions): TokenMinter {
  if ('window' in globalThis)
    throw validationError('apiKey', 'belongs on a server: createTokenMinter does not run where there is a window');
  const url = validateBaseUrl(options.url, 'url');
  const publicUrl = options.publicUrl === undefined ? url : validateBaseUrl(options.publicUrl, 'publicUrl');
  const call = createServiceClient({
    apiKey: validateApiKey(options.apiKey),
    url,
    fetch: options.fetch ?? fetch,
    workspaceId: options.workspaceId,
    retries: validateWholeNumber(options.retries, 3, 'retries'),
    timeout: validateWholeNumber(options.timeout, 10_000, 'timeout'),
    maxWait: validateWholeNumber(options.maxWait, 20_000, 'maxWait'),
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
        if (typeof path !== 'string') throw validationError('path', 'must be a string');
        // The service refuses to look for a NUL.
        if (path === '' || path.includes('\0')) return null;
        // Names sort: of all paths that begin with this one, itself comes first.
        const query = { prefix: path, limit: '1' };
        const { files } = (await call({ method: 'GET', path: '/v1/files', query, signal })) as { files: FileRecord[] };
        return files.find((file) => file.path === path) ?? null;
      } catch (error) {
        throw markInternal(error);
      }
    },
  });
}
