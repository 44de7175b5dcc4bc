import { validationError } from '../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../src/protocol/limits.js';
import { trimEndCharacters } from '../../src/protocol/trim.js';

/** An API key fit for a header. The messages never quote it. @throws BlobError `VALIDATION_ERROR` */
export function validateApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '')
    throw validationError('apiKey', 'must be a non-empty string: is the variable set?');
  if (apiKey.startsWith(TOKEN_PREFIX)) throw validationError('apiKey', 'is an upload token; tokens are minted with an API key');
  // Whatever fetch refuses in a header value it would quote in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw validationError('apiKey', 'must hold printable ASCII characters only, without spaces');
  return apiKey;
}

/** The base address of Blob Storage without a closing slash. @throws BlobError `VALIDATION_ERROR` */
export function validateBaseUrl(url: unknown, field: string): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) throw validationError(field, 'must be an absolute address such as "https://blob.example.com"');
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    throw validationError(field, 'must start with https:// or http://');
  if (parsed.username !== '' || parsed.password !== '') throw validationError(field, 'must not hold credentials');
  if (parsed.search !== '' || parsed.hash !== '') throw validationError(field, 'must have neither a query nor a fragment');
  const base = trimEndCharacters(parsed.href, '/');
  if (base.endsWith('/v1')) throw validationError(field, 'is the base address: leave out /v1');
  return base;
}
