import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CHECKSUMS, checksumOf, compositeChecksum, joinChecksums, runningChecksum } from '../../src/bulk/s3/checksums.js';
import { portableDigests } from '../../src/bulk/s3/digests.js';
import { hmac, hmacKey, sha256, toHex } from '../../src/bulk/s3/hmac.js';
import { nodeDigests } from '../../src/bulk/node/checksums/node-digests.js';

const LENGTHS = [0, 1, 15, 16, 17, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 4096 + 3];

describe('portable hashes', () => {
  it('equal those of Node for every length around a block', () => {
    for (const length of LENGTHS) {
      const bytes = randomBytes(length);
      expect(toHex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(portableDigests.crc32(bytes)).toBe(nodeDigests.crc32(bytes));
      for (const algorithm of ['md5', 'sha256'] as const) {
        const running = portableDigests[algorithm]();
        for (let offset = 0; offset < length; offset += 37) running.update(bytes.subarray(offset, offset + 37));
        expect(running.hex()).toBe(createHash(algorithm).update(bytes).digest('hex'));
      }
      const key = randomBytes(length + 1);
      expect(toHex(hmac(hmacKey(key), bytes))).toBe(createHmac('sha256', key).update(bytes).digest('hex'));
    }
  });
});

describe('checksums', () => {
  it('equal the check values of the CRC catalogue', () => {
    const digits = new TextEncoder().encode('123456789');
    const checkValues = { CRC32: 'cbf43926', CRC32C: 'e3069283', CRC64NVME: 'ae8b14860a799888' };
    for (const digests of [portableDigests, nodeDigests])
      for (const name of CHECKSUMS)
        expect(Buffer.from(checksumOf(digests, name, digits), 'base64').toString('hex')).toBe(checkValues[name]);
    expect(compositeChecksum(nodeDigests, 'CRC32', ['y/Q5Jg=='])).toMatch(/^[A-Za-z0-9+/]{6}==-1$/);
  });

  it.each(CHECKSUMS)('combine the %s of two pieces into that of the whole', (name) => {
    const bytes = randomBytes(70_001);
    const expected = checksumOf(nodeDigests, name, bytes);
    for (const cut of [0, 1, 8, 255, 65_536, 70_000, 70_001]) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const sums = pieces.map((piece) => ({ checksum: checksumOf(nodeDigests, name, piece), size: piece.length }));
      expect(joinChecksums(name, sums)).toBe(expected);
      for (const digests of [portableDigests, nodeDigests]) {
        const running = runningChecksum(digests, name);
        for (const piece of pieces) running.update(piece);
        expect(running.value()).toBe(expected);
      }
    }
  });
});
