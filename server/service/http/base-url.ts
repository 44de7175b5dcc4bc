import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import { isInRanges, rangeMatcher } from '../runtime/ip-addresses.js';
import { isTrustedProxy } from './forwarded.js';

/** Whether an address is in a loopback, private or link-local network. */
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
 * Returns the base of generated URLs, without a final slash, for a service without `publicUrl`.
 *
 * It is the `X-Forwarded-Host` of a trusted proxy, else the `Host` header if it cannot name another server: a local address, a name without
 * a dot, or the address of this connection. Otherwise it is the local address of the connection.
 */
export function baseUrlFor(request: FastifyRequest, trustedProxies: readonly string[]): string {
  const { remoteAddress = '', localAddress = 'localhost', localPort } = request.socket;
  const isForwarded = request.headers['x-forwarded-host'] !== undefined && isTrustedProxy(remoteAddress, trustedProxies);
  if (isForwarded || isOwnHost(request.host, localAddress)) return `${request.protocol}://${request.host}`;
  const host = localAddress.includes(':') ? `[${localAddress.split('%')[0]}]` : localAddress;
  return `${request.protocol}://${host}${localPort === undefined ? '' : `:${localPort}`}`;
}

/** @param host the host of the request with its port. */
function isOwnHost(host: string, localAddress: string): boolean {
  const name = /^(\[[\da-f:.]+\]|[\da-z.-]+)(?::\d{1,5})?$/i
    .exec(host)?.[1]
    ?.toLowerCase()
    .replace(/^\[|\]$/g, '');
  if (name === undefined) return false;
  if (isLocal(name) || (isIP(localAddress) !== 0 && isInRanges(name, [localAddress]))) return true;
  return /^(?=.*[a-z])[\da-z-]+$/.test(name) || name.endsWith('.localhost');
}
