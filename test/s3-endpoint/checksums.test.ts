import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  ALGORITHMS,
  ALGORITHM_NAMES,
  compositeChecksum,
  isChecksum,
  joinedChecksum,
} from '../../server/service/s3/checksums/algorithms.js';

const of = (name: keyof typeof ALGORITHMS, ...chunks: Uint8Array[]) => {
  const hasher = ALGORITHMS[name].hasher();
  for (const chunk of chunks) hasher.update(chunk);
  return hasher.digest();
};

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

describe('S3 checksums', () => {
  it('have the published check values of "123456789"', () => {
    const digits = Buffer.from('123456789');
    expect(hex(of('crc32', digits))).toBe('cbf43926');
    expect(hex(of('crc32c', digits))).toBe('e3069283');
    expect(hex(of('crc64nvme', digits))).toBe('ae8b14860a799888');
    expect(hex(of('sha1', digits))).toBe('f7c3bc1d808e04732adf679965ccc34ca7ae3441');
    expect(hex(of('sha256', digits))).toBe('15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225');
  });

  it.each(ALGORITHM_NAMES)('%s does not depend on the size of chunks', (name) => {
    const data = randomBytes(100_003);
    const whole = of(name, data);
    for (const cut of [1, 7, 8, 9, 4096, 65_537]) {
      const chunks = [];
      for (let at = 0; at < data.length; at += cut) chunks.push(data.subarray(at, at + cut));
      expect(of(name, ...chunks)).toBe(whole);
    }
  });

  it.each(['crc32', 'crc32c', 'crc64nvme'] as const)('%s of an object is computed from those of its parts', (name) => {
    const sizes = [5_000_000, 5_000_000, 1, 0, 4097];
    const parts = sizes.map((size) => randomBytes(size));
    expect(
      joinedChecksum(
        name,
        parts.map((part) => ({ value: of(name, part), size: part.length })),
      ),
    ).toBe(of(name, ...parts));
  });

  it('are combined to a composite checksum', () => {
    const parts = [Buffer.from('a'), Buffer.from('b')];
    const joined = Buffer.alloc(8);
    parts.forEach((part, at) => joined.writeUInt32BE(crc32(part), at * 4));
    const expected = Buffer.alloc(4);
    expected.writeUInt32BE(crc32(joined));
    expect(
      compositeChecksum(
        'crc32',
        parts.map((part) => ({ value: of('crc32', part), size: 1 })),
      ),
    ).toBe(`${expected.toString('base64')}-2`);
  });

  it('must be base64 of the right length', () => {
    expect(isChecksum('crc32', 'AAAAAA==')).toBe(true);
    for (const wrong of ['', 'AAAAAAA=', 'AAAAAA', 'AAAA====', '@@@@@@==', 'AAAAAAAAAAA='])
      expect(isChecksum('crc32', wrong)).toBe(false);
  });
});
