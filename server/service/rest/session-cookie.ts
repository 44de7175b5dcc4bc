import type { FastifyReply, FastifyRequest } from 'fastify';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import { platformError } from '../../../src/protocol/platform-errors.js';
import { LIFETIME_MS } from '../identity/users/sessions.js';
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
 * Stores a new session in the browser. An earlier cookie is replaced, also one that another site has set.
 */
export function setSessionCookie(context: Origins, request: FastifyRequest, reply: FastifyReply, secret: string): void {
  reply.header('Cache-Control', 'no-store');
  const maxAge = LIFETIME_MS / 1000;
  void reply.setCookie(sessionCookieName(context.baseUrl(request)), secret, { ...cookieAttributes(context, request), maxAge });
}

/** Removes the session from the browser. */
export function clearSessionCookie(context: Origins, request: FastifyRequest, reply: FastifyReply): void {
  void reply.clearCookie(sessionCookieName(context.baseUrl(request)), cookieAttributes(context, request));
}

const cookieAttributes = (context: Origins, request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: context.baseUrl(request).startsWith('https:') }) as const;

/** Rejects a sign-in over http from another machine, because the password could be read in transit. @throws `FORBIDDEN` */
export function assertSecureTransport(context: Origins, request: FastifyRequest): void {
  const { protocol, hostname } = new URL(context.baseUrl(request));
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !isLoopback)
    throw platformError(
      'FORBIDDEN',
      'Signing in needs https. Open this service by its https address, or on its own machine at http://localhost. Operators set --public-url, or --trusted-proxy behind a proxy with TLS.',
    );
}

/**
 * Rejects a request that another origin may have caused. An unsafe method needs our own `Origin` and a content type that needs a preflight.
 * @throws `ORIGIN_DENIED`, `VALIDATION_ERROR`
 */
export function assertOwnOrigin(context: Origins, request: FastifyRequest): void {
  const isSafe = SAFE_METHODS.includes(request.method);
  if (request.headers.origin !== undefined || !isSafe) assertFormOrigin(context, request);
  else assertSameSite(request);
  const { 'content-type': contentType = '' } = request.headers;
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase();
  if (!isSafe && SIMPLE_TYPES.includes(mediaType))
    throw validationError('content-type', `must not be ${mediaType} with a session; send application/json`);
}

/** Rejects a form that a page of another origin sends. Browsers state the origin of every form. @throws `ORIGIN_DENIED` */
export function assertFormOrigin(context: Origins, request: FastifyRequest): void {
  if (request.headers.origin !== ownOrigin(context, request)) throw originDenied();
  assertSameSite(request);
}

/**
 * Rejects a sign-in that a page of another origin sends: it would sign people in to the account of an attacker. Programs send no `Origin`.
 * @throws `ORIGIN_DENIED`
 */
export function assertNoForeignOrigin(context: Origins, request: FastifyRequest): void {
  if (request.headers.origin === undefined) assertSameSite(request);
  else assertFormOrigin(context, request);
}

function assertSameSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') throw originDenied();
}

const originDenied = (): BlobError =>
  new BlobError('ORIGIN_DENIED', 'A session may be used only by pages of this service. Use an API key elsewhere.');

/** Returns the origin of this service, as browsers write it. */
export const ownOrigin = (context: Origins, request: FastifyRequest): string => new URL(context.baseUrl(request)).origin;
