import { isAddressRange, isInRanges } from '../identity/ip-addresses.js';

// The S3 endpoint reads forwarded headers here. REST gets the client's address and scheme from Fastify's `trustProxy`.

export const isTrustedProxy = (address: string, trustedProxies: readonly string[]): boolean =>
  trustedProxies.length > 0 && isInRanges(address, trustedProxies.filter(isAddressRange));

/**
 * Finds the address of the client: from the connection backwards through `X-Forwarded-For`, the first one that is no trusted proxy. What lies
 * before it in the header was written by the client itself.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, trustedProxies: readonly string[]): string {
  const hops = (forwardedFor ?? '').split(',').map((hop) => hop.trim());
  let address = peer;
  while (isTrustedProxy(address, trustedProxies)) {
    const before = hops.pop();
    if (before === undefined || before === '') break;
    address = before;
  }
  return address;
}

/** Whether the client speaks TLS with a trusted proxy. The S3 endpoint itself speaks plain HTTP. */
export function clientScheme(
  peer: string,
  forwardedProto: string | undefined,
  trustedProxies: readonly string[],
): 'http' | 'https' {
  const last = forwardedProto?.split(',').at(-1)?.trim().toLowerCase();
  return last === 'https' && isTrustedProxy(peer, trustedProxies) ? 'https' : 'http';
}
