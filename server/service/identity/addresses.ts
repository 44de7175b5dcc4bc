import { BlockList, isIP } from 'node:net';

const family = (ip: string): 'ipv4' | 'ipv6' => (isIP(ip) === 4 ? 'ipv4' : 'ipv6');

/** Some proxies write the client's port into `X-Forwarded-For`: `192.0.2.1:4711`, `[2001:db8::1]:4711`. It differs for every connection. */
const withoutPort = (address: string): string =>
  /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/
    .exec(address)
    ?.slice(1)
    .find((ip) => ip !== undefined) ?? address;

/** An IPv4 caller may appear as an IPv6 one on a dual-stack socket; a zone names an interface of ours, not the caller. */
const plain = (address: string): string =>
  withoutPort(address)
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .split('%')[0]!;

/** Whether a text is an IP address or a CIDR range such as `10.0.0.0/8` (platform-api, "API key"). */
export function isAddressRange(text: string): boolean {
  const [ip = '', prefix, ...more] = text.split('/');
  const version = isIP(ip);
  if (version === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Builds a test of whether an address lies in one of the ranges. Building costs far more than the test: keep it for ranges that stay. */
export function rangeTest(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [ip = '', prefix] = range.split('/');
    if (prefix === undefined) list.addAddress(plain(ip), family(plain(ip)));
    else list.addSubnet(ip, Number(prefix), family(ip));
  }
  return (address) => {
    const ip = plain(address);
    return isIP(ip) !== 0 && list.check(ip, family(ip));
  };
}

/** Whether an address lies in one of the ranges. */
export const isInRanges = (address: string, ranges: readonly string[]): boolean => rangeTest(ranges)(address);

/** What one caller surely holds: an IPv4 address, or the /64 that an IPv6 network hands out. */
export function networkOf(address: string): string {
  const ip = plain(address);
  if (isIP(ip) !== 6) return ip;
  const [left, right] = ip.split('::').map((half) => half.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = right ? Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0') : [];
  const groups = [...left, ...zeros, ...(right ?? [])].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
