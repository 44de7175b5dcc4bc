import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../sharing/shares.js';

/** The cookie that holds the pass of one share. Its path is that of the share. */
export const SHARE_COOKIE = 'svc_share';

/** Reads the address and the password of a visitor: programs send it by HTTP Basic, browsers send a cookie. */
export const visitorOf = (request: FastifyRequest): Visitor => ({
  address: request.ip,
  password: passwordOf(request),
  pass: request.cookies[SHARE_COOKIE],
});

function passwordOf(request: FastifyRequest): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  // Passwords have at most 200 characters. Longer ones are not compared, because scrypt is slow.
  return colon === -1 || pair.length - colon > 201 ? undefined : pair.slice(colon + 1);
}
