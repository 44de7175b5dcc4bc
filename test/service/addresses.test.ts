import { describe, expect, it } from 'vitest';
import { isAddressRange, isInRanges } from '../../server/service/accounts/addresses.js';

describe('the addresses a key may be used from', () => {
  it.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32', 'fe80::1/128'])('may be %s', (range) =>
    expect(isAddressRange(range)).toBe(true),
  );
  it.each(['', 'localhost', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.1/', '10.0.0.1/8/8', '10.0.0.1/-1'])(
    'may not be %j',
    (range) => expect(isAddressRange(range)).toBe(false),
  );
  it('hold what lies in a range, in whichever form it comes', () => {
    expect(isInRanges('10.200.3.4', ['192.168.0.1', '10.0.0.0/8'])).toBe(true);
    expect(isInRanges('::ffff:10.200.3.4', ['10.0.0.0/8'])).toBe(true);
    expect(isInRanges('2001:DB8:0::1', ['2001:db8::/32'])).toBe(true);
    expect(isInRanges('fe80::1%eth0', ['fe80::1'])).toBe(true);
    expect(isInRanges('0:0:0:0:0:0:0:1', ['::1'])).toBe(true);
  });
  it('do not hold their neighbours, or what is no address', () => {
    expect(isInRanges('11.0.0.1', ['10.0.0.0/8'])).toBe(false);
    expect(isInRanges('::2', ['::1'])).toBe(false);
    expect(isInRanges('', ['0.0.0.0/0'])).toBe(false);
  });
});
