import { BlockList, isIP } from 'node:net';
import { isAddressRange } from '../runtime/ip-addresses.js';

/**
 * Addresses outside the public internet (https://www.iana.org/assignments/iana-ipv4-special-registry), and 168.63.129.16, the metadata
 * service of Azure. Other metadata services are in the link-local and shared ranges.
 */
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The global unicast addresses. All other IPv6 addresses are refused, such as mapped IPv4 and NAT64 ones. */
const GLOBAL_IPV6 = '2000::/3';
/** Teredo and other special uses, documentation, and 6to4, whose addresses contain an IPv4 address. */
const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Builds a list of ranges of one family. BlockList would compare IPv4 rules with mapped IPv6 addresses. */
function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    if (!isAddressRange(range))
      throw new RangeError(`an outbound range must be an IP address or a range such as 10.0.0.0/8; got "${range}"`);
    const [address = '', prefix] = range.split('/');
    const version = isIP(address);
    list.addSubnet(address, prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Decides to which addresses the service may connect when a user names the target. */
export class AddressPolicy {
  readonly #refusedIpv4 = listOf(REFUSED_IPV4);
  readonly #refusedIpv6 = listOf(REFUSED_IPV6);
  readonly #globalIpv6 = listOf([GLOBAL_IPV6]);
  readonly #allowedIpv4: BlockList;
  readonly #allowedIpv6: BlockList;

  /** @param allow addresses and ranges that are accepted although they are not public. @throws RangeError for an invalid range */
  constructor(allow: readonly string[] = []) {
    this.#allowedIpv4 = listOf(allow.filter((range) => !range.includes(':')));
    this.#allowedIpv6 = listOf(allow.filter((range) => range.includes(':')));
  }

  /** @returns false for every text that is not an address, and for addresses with a zone. */
  allows(address: string): boolean {
    if (address.includes('%')) return false;
    if (isIP(address) === 4) return this.#allowedIpv4.check(address, 'ipv4') || !this.#refusedIpv4.check(address, 'ipv4');
    if (isIP(address) !== 6) return false;
    if (this.#allowedIpv6.check(address, 'ipv6')) return true;
    return this.#globalIpv6.check(address, 'ipv6') && !this.#refusedIpv6.check(address, 'ipv6');
  }
}
