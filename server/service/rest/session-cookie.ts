import type { FastifyRequest } from 'fastify';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import type { RouteContext } from './context.js';

type Origins = Pick<RouteContext, 'baseUrl'>;

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
/** Content types that a page of another site can send without a preflight: https://fetch.spec.whatwg.org/#cors-safelisted-request-header */
const SIMPLE_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/**
 * Returns the name of the session cookie. Its prefix lets only this host set it, and requires https. Browsers refuse it on http, where the
 * service is on this machine.
 */
export const sessionCookieName = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-svc_session' : 'svc_session';

/**
 * Reads the session cookie of a request. Browsers send cookies also with requests that pages of other sites make, so only requests of our own
 * origin may use it.
 * @returns undefined without a cookie, or if the request has another credential.
 * @throws `ORIGIN_DENIED`, `VALIDATION_ERROR`
 */
export function readSessionCookie(context: Origins, request: FastifyRequest): string | undefined {
  if (request.headers.authorization !== undefined) return undefined;
  const cookie = request.cookies[sessionCookieName(context.baseUrl(request))];
  if (cookie === undefined) return undefined;
  assertOwnOrigin(context, request);
  return cookie;
}

/**
 * Rejects a request that another origin may have caused. An unsafe method needs our own `Origin` and a content type that needs a preflight.
 * @throws `ORIGIN_DENIED`, `VALIDATION_ERROR`
 */
export function assertOwnOrigin(context: Origins, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site, 'content-type': contentType = '' } = request.headers;
  const isSafe = SAFE_METHODS.includes(request.method);
  const isForeign =
    origin === undefined ? !isSafe || site === 'cross-site' || site === 'same-site' : origin !== ownOrigin(context, request);
  if (isForeign)
    throw new BlobError('ORIGIN_DENIED', 'A session may be used only by pages of this service. Use an API key elsewhere.');
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase();
  if (!isSafe && SIMPLE_TYPES.includes(mediaType))
    throw validationError('content-type', `must not be ${mediaType} with a session; send application/json`);
}

/** Returns the origin of this service, as browsers write it. */
export const ownOrigin = (context: Origins, request: FastifyRequest): string => new URL(context.baseUrl(request)).origin;
