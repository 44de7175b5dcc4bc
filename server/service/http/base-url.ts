import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import { isInRanges, rangeMatcher } from '../identity/ip-addresses.js';
import { isTrustedProxy } from './forwarded.js';

/** Loopback, private and link-local networks. */
const isLocal = rangeMatcher([
  '127.0.0.0/8',
  '::1',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);

/**
 * Decides the base of generated addresses without a public address, without a closing slash. A trusted proxy's `X-Forwarded-Host` counts. The
 * `Host` header is the client's own claim, so it counts only where it cannot name somebody else's server: local addresses, names without
 * a dot, and the address of this connection. Otherwise it is the address that the connection came to.
 */
export function baseUrlFor(request: FastifyRequest, trustedProxies: readonly string[]): string {
  const { remoteAddress = '', localAddress = 'localhost', localPort } = request.socket;
  const isForwarded = request.headers['x-forwarded-host'] !== undefined && isTrustedProxy(remoteAddress, trustedProxies);
  if (isForwarded || isOwnHost(request.host, localAddress)) return `${request.protocol}://${request.host}`;
  const host = localAddress.includes(':') ? `[${localAddress.split('%')[0]}]` : localAddress;
  return `${request.protocol}://${host}${localPort === undefined ? '' : `:${localPort}`}`;
}

/** @param host of the request, with its port. */
function isOwnHost(host: string, localAddress: string): boolean {
  const name = /^(\[[\da-f:.]+\]|[\da-z.-]+)(?::\d{1,5})?$/i
    .exec(host)?.[1]
    ?.toLowerCase()
    .replace(/^\[|\]$/g, '');
  if (name === undefined) return false;
  if (isLocal(name) || (isIP(localAddress) !== 0 && isInRanges(name, [localAddress]))) return true;
  return /^(?=.*[a-z])[\da-z-]+$/.test(name) || name.endsWith('.localhost');
}
