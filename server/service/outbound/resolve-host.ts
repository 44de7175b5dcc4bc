import { Resolver } from 'node:dns/promises';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Looks up the addresses of a host. @returns none if the name has no address. */
export type ResolveHost = (host: string) => Promise<ResolvedAddress[]>;

/**
 * Creates a function that asks DNS. It does not use `dns.lookup`, which occupies a thread of the pool that writes files, so that slow names of
 * users could stop uploads.
 * @param servers `address` or `address:port`. @default the system's servers
 */
export function dnsResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const [ipv4, ipv6] = await Promise.all([resolver.resolve4(host).catch(() => []), resolver.resolve6(host).catch(() => [])]);
    return [
      ...ipv4.map((address) => ({ address, family: 4 as const })),
      ...ipv6.map((address) => ({ address, family: 6 as const })),
    ];
  };
}
