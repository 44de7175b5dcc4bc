import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobServiceOptions } from '../options.js';
import { trimEndCharacters } from '../../../src/protocol/trim.js';
import type { RouteContext } from './context.js';
import { noRoute } from './no-route.js';

/** Routes whose responses contain stored files: public files and temporary links, and shares. */
const CONTENT_ROUTES = ['/f/', '/s/'];
/** Load balancers ask for them by any name. */
const HEALTH_ROUTES = ['/healthz', '/readyz'];

/** Reads the option `deliveryUrl`. @returns the address without a final slash @throws Error if it is not an origin of its own */
export function readDeliveryUrl({
  deliveryUrl,
  publicUrl,
}: Pick<BlobServiceOptions, 'deliveryUrl' | 'publicUrl'>): string | undefined {
  if (deliveryUrl === undefined) return undefined;
  if (publicUrl === undefined) throw new Error('deliveryUrl needs publicUrl, the address of everything else.');
  const { host, pathname, search } = new URL(deliveryUrl);
  if (host === new URL(publicUrl).host) throw new Error(`deliveryUrl must have another host than publicUrl; got ${host} twice.`);
  if (pathname !== '/' || search !== '') throw new Error(`deliveryUrl must be an origin without a path; got ${deliveryUrl}.`);
  return trimEndCharacters(deliveryUrl, '/');
}

/**
 * Keeps stored files on the origin `deliveryUrl`, so that they share none with the session cookie: redirects their addresses there, and serves
 * nothing else there.
 * @returns whether it has responded. @throws `NOT_FOUND`
 */
export function separateOrigins({ deliveryUrl }: RouteContext, request: FastifyRequest, reply: FastifyReply): boolean {
  const { method, routeOptions, url } = request;
  const route = routeOptions.url ?? '';
  if (deliveryUrl === undefined || HEALTH_ROUTES.includes(route)) return false;
  const isContent = CONTENT_ROUTES.some((start) => route.startsWith(start));
  const isThere = request.host.toLowerCase() === new URL(deliveryUrl).host;
  if (isContent === isThere) return false;
  if (!isContent || (method !== 'GET' && method !== 'HEAD')) throw noRoute(request);
  void reply.redirect(deliveryUrl + url, 308);
  return true;
}
