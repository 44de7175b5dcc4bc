import { describe, expect, it } from 'vitest';
import { isAddressRange, isInRanges, networkOf } from '../../server/service/runtime/ip-addresses.js';

describe('allowed addresses of a key', () => {
  it.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32', 'fe80::1/128'])('can be %s', (range) =>
    expect(isAddressRange(range)).toBe(true),
  );
  it.each(['', 'localhost', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.1/', '10.0.0.1/8/8', '10.0.0.1/-1'])(
    'may not be %j',
    (range) => expect(isAddressRange(range)).toBe(false),
  );
  it('contain an address in every notation', () => {
    expect(isInRanges('10.200.3.4', ['192.168.0.1', '10.0.0.0/8'])).toBe(true);
    expect(isInRanges('::ffff:10.200.3.4', ['10.0.0.0/8'])).toBe(true);
    expect(isInRanges('2001:DB8:0::1', ['2001:db8::/32'])).toBe(true);
    expect(isInRanges('fe80::1%eth0', ['fe80::1'])).toBe(true);
    expect(isInRanges('10.200.3.4:4711', ['10.0.0.0/8'])).toBe(true);
    expect(isInRanges('[2001:db8::1]:4711', ['2001:db8::/32'])).toBe(true);
    expect(isInRanges('0:0:0:0:0:0:0:1', ['::1'])).toBe(true);
    expect(isInRanges('::ffff:7f00:1', ['127.0.0.1'])).toBe(true);
    expect(isInRanges('127.0.0.1', ['0:0:0:0:0:FFFF:127.0.0.1'])).toBe(true);
    expect(isInRanges('10.1.2.3', ['::ffff:10.0.0.0/104'])).toBe(true);
    expect(isInRanges('11.1.2.3', ['::ffff:10.0.0.0/104'])).toBe(false);
  });
  it('do not contain neighbouring addresses or other texts', () => {
    expect(isInRanges('11.0.0.1', ['10.0.0.0/8'])).toBe(false);
    expect(isInRanges('::2', ['::1'])).toBe(false);
    expect(isInRanges('', ['0.0.0.0/0'])).toBe(false);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:DB8:0:01::9', '2001:db8:0:1::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['[2001:db8::9]:4711', '2001:db8:0:0::/64'],
  ['[2001:db8::9]', '2001:db8:0:0::/64'],
  ['[::ffff:192.0.2.7]:4711', '192.0.2.7'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));
