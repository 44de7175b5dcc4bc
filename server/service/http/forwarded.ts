import { isAddressRange, isInRanges } from '../runtime/ip-addresses.js';

// The S3 endpoint uses all of these functions. REST uses Fastify's `trustProxy`, and only `isTrustedProxy` of these.

export const isTrustedProxy = (address: string, trustedProxies: readonly string[]): boolean =>
  trustedProxies.length > 0 && isInRanges(address, trustedProxies.filter(isAddressRange));

/**
 * Finds the address of the client: the last address in `X-Forwarded-For` that is not a trusted proxy. Earlier entries are ignored, because the client
 * can write them.
 * @param peer the remote address of the connection.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, trustedProxies: readonly string[]): string {
  const hops = (forwardedFor ?? '').split(',').map((hop) => hop.trim());
  let address = peer;
  while (isTrustedProxy(address, trustedProxies)) {
    const previousHop = hops.pop();
    if (previousHop === undefined || previousHop === '') break;
    address = previousHop;
  }
  return address;
}

/** Returns `https` if a trusted proxy reports it. The S3 endpoint itself has no TLS. */
export function clientScheme(
  peer: string,
  forwardedProto: string | undefined,
  trustedProxies: readonly string[],
): 'http' | 'https' {
  const last = forwardedProto?.split(',').at(-1)?.trim().toLowerCase();
  return last === 'https' && isTrustedProxy(peer, trustedProxies) ? 'https' : 'http';
}
