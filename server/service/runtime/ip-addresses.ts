import { BlockList, isIP } from 'node:net';

const family = (ip: string): 'ipv4' | 'ipv6' => (isIP(ip) === 4 ? 'ipv4' : 'ipv6');

/** Removes the port that some proxies add in `X-Forwarded-For`: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (address: string): string =>
  /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/
    .exec(address)
    ?.slice(1)
    .find((ip) => ip !== undefined) ?? address;

/** Removes the port, the IPv6 prefix of IPv4 clients on a dual-stack socket, and the zone, which names a local interface. */
const normalize = (address: string): string =>
  withoutPort(address)
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .split('%')[0]!;

/** Returns whether a text is an IP address or a CIDR range such as `10.0.0.0/8`. */
export function isAddressRange(text: string): boolean {
  const [ip = '', prefix, ...more] = text.split('/');
  const version = isIP(ip);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Builds a function that tells whether an address is in one of the ranges. Building is slow, so reuse the function for constant ranges. */
export function rangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [ip = '', prefix] = range.split('/');
    if (prefix === undefined) list.addAddress(normalize(ip), family(normalize(ip)));
    else list.addSubnet(ip, Number(prefix), family(ip));
  }
  return (address) => {
    const ip = normalize(address);
    return isIP(ip) !== 0 && list.check(ip, family(ip));
  };
}

export const isInRanges = (address: string, ranges: readonly string[]): boolean => rangeMatcher(ranges)(address);

/** Returns the network of a client for limits: an IPv4 address, or the /64 of an IPv6 address. A client can use any address of its /64. */
export function networkOf(address: string): string {
  const ip = normalize(address);
  if (isIP(ip) !== 6) return ip;
  const [before, after] = ip.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = after ? Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0') : [];
  const groups = [...before, ...zeros, ...(after ?? [])].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
