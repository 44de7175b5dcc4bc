import { invalid } from '../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../src/protocol/limits.js';
import { trimEndOf } from '../../src/protocol/trim.js';

/** An API key fit for a header. The messages never quote it. @throws BlobError `VALIDATION_ERROR` */
export function assertApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') throw invalid('apiKey', 'must be a non-empty string: is the variable set?');
  if (apiKey.startsWith(TOKEN_PREFIX)) throw invalid('apiKey', 'is an upload token; tokens are minted with an API key');
  // Whatever fetch refuses in a header value it would quote in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw invalid('apiKey', 'must hold printable ASCII characters only, without spaces');
  return apiKey;
}

/** The base address of Blob Storage without a closing slash. @throws BlobError `VALIDATION_ERROR` */
export function assertBaseUrl(url: unknown, field: string): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) throw invalid(field, 'must be an absolute address such as "https://blob.example.com"');
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') throw invalid(field, 'must start with https:// or http://');
  if (parsed.username !== '' || parsed.password !== '') throw invalid(field, 'must not hold credentials');
  if (parsed.search !== '' || parsed.hash !== '') throw invalid(field, 'must have neither a query nor a fragment');
  const base = trimEndOf(parsed.href, '/');
  if (base.endsWith('/v1')) throw invalid(field, 'is the base address: leave out /v1');
  return base;
}
