import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { compositeCrc, crc32, crcHeader, joinCrc32 } from '../../src/s3/checksum.js';
import { md5 } from '../../src/s3/md5.js';
import { hmac, hmacKey, sha256, toHex } from '../../src/s3/sha256.js';
import { nodeDigests } from '../../src/s3/node/digests.js';

const LENGTHS = [0, 1, 15, 16, 17, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 4096 + 3];

describe('hashes of a page', () => {
  it('are those of Node, for every length around a block', () => {
    for (const length of LENGTHS) {
      const bytes = randomBytes(length);
      expect(toHex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(crc32(bytes)).toBe(nodeDigests.crc32(bytes));
      const running = md5();
      for (let at = 0; at < length; at += 37) running.update(bytes.subarray(at, at + 37));
      expect(running.hex()).toBe(createHash('md5').update(bytes).digest('hex'));
      const key = randomBytes(length + 1);
      expect(toHex(hmac(hmacKey(key), bytes))).toBe(createHmac('sha256', key).update(bytes).digest('hex'));
    }
  });

  it('goes on from a seed', () => {
    const bytes = randomBytes(1000);
    expect(crc32(bytes.subarray(333), crc32(bytes.subarray(0, 333)))).toBe(crc32(bytes));
  });
});

describe('joined CRC32', () => {
  it('is the CRC32 of the whole, whatever the cut', () => {
    const bytes = randomBytes(70_001);
    for (const cut of [0, 1, 8, 255, 65_536, 70_000, 70_001]) {
      const [a, b] = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(joinCrc32(crc32(a), crc32(b), b.length)).toBe(crc32(bytes));
    }
  });

  it('is written as S3 writes it', () => {
    const check = crc32(new TextEncoder().encode('123456789'));
    expect(check).toBe(0xcbf43926);
    expect(crcHeader(check)).toBe('y/Q5Jg==');
    expect(compositeCrc([check])).toMatch(/^[A-Za-z0-9+/]{6}==-1$/);
  });
});
