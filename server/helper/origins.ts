import { BlobError, validationError } from '../../src/protocol/errors.js';

/**
 * Who may ask a token route. Browsers put `Origin` and `Sec-Fetch-Site` on a request themselves, and no page can change them.
 * A request with neither comes from a program; whether it may have a token is for `authorize` to say.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */

/** @throws BlobError `VALIDATION_ERROR` for what is not a bare origin; `*` is none: it would give tokens to every site. */
export function validateOrigins(origins: readonly string[]): ReadonlySet<string> {
  for (const [index, origin] of origins.entries()) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw validationError(
        `origins[${index}]`,
        'must be an origin such as "https://www.example.com", without a path or closing slash',
      );
  }
  return new Set(origins);
}

function isSameOrigin(request: Request, origin: string | null): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  // Hosts are compared, not schemes: behind a proxy that ends TLS this process sees http.
  return new URL(origin).host === (request.headers.get('host') ?? new URL(request.url).host);
}

/**
 * @returns the CORS headers of the answer: none for the page's own origin.
 * @throws BlobError `ORIGIN_DENIED`
 */
export function admitOrigin(request: Request, listed: ReadonlySet<string>): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin !== null && listed.has(origin))
    return { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  if (isSameOrigin(request, origin)) return {};
  throw new BlobError(
    'ORIGIN_DENIED',
    'Upload tokens are not given to pages of this origin: "origins" of the token route does not name it.',
  );
}
