import { BlobError, validationError } from '../../src/protocol/errors.js';

/**
 * Validates the origins whose pages may use a token route. `*` is refused, because every site could get tokens.
 * @throws BlobError `VALIDATION_ERROR`
 */
export function validateOrigins(origins: readonly string[]): ReadonlySet<string> {
  for (const [index, origin] of origins.entries()) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw validationError(
        `origins[${index}]`,
        'must be an origin such as "https://www.example.com", without a path and without a slash at its end',
      );
  }
  return new Set(origins);
}

/**
 * Checks the origin of a request by `Origin` and `Sec-Fetch-Site`. Browsers set both, and pages cannot change them. A request
 * without them comes from a program, for which `authorize` decides.
 * @returns the CORS headers of the response; none for the page's own origin
 * @throws BlobError `ORIGIN_DENIED`
 * @see https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function admitOrigin(request: Request, listed: ReadonlySet<string>): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin !== null && listed.has(origin))
    return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  if (isSameOrigin(request, origin)) return {};
  throw new BlobError(
    'ORIGIN_DENIED',
    'Pages of this origin do not get upload tokens. List the origin in "origins" of the token route.',
  );
}

function isSameOrigin(request: Request, origin: string | null): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  // Schemes are not compared. Behind a proxy that ends TLS, this process receives http.
  return new URL(origin).host === (request.headers.get('host') ?? new URL(request.url).host);
}
