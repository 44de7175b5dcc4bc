import { validationError } from '../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../src/protocol/token-format.js';
import { trimEndCharacters } from '../../src/protocol/trim.js';

/** Validates an API key. Messages never contain the key. @throws BlobError `VALIDATION_ERROR` */
export function validateApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw validationError('apiKey', 'must be a non-empty string. Check that its environment variable is set');
  if (apiKey.startsWith(TOKEN_PREFIX)) throw validationError('apiKey', 'must be an API key; got an upload token');
  // `fetch` would quote the key in its error about an invalid header.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw validationError('apiKey', 'must have printable ASCII characters only, without spaces');
  return apiKey;
}

/**
 * Validates the base address of Blob Storage.
 * @returns the address without a slash at its end
 * @throws BlobError `VALIDATION_ERROR`
 */
export function validateBaseUrl(value: unknown, field: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url) throw validationError(field, 'must be an absolute address such as "https://blob.example.com"');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw validationError(field, 'must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') throw validationError(field, 'must not contain credentials');
  if (url.search !== '' || url.hash !== '') throw validationError(field, 'must not contain a query or a fragment');
  const base = trimEndCharacters(url.href, '/');
  if (base.endsWith('/v1')) throw validationError(field, 'must be the base address, without /v1');
  return base;
}
