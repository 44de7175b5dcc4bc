import type { RunningHash } from './running-hash.js';
import { crc32, crc32c } from '../../protocol/checksums/crc32.js';
import type { Crc32 } from '../../protocol/checksums/crc32.js';
import { Crc64Nvme } from '../../protocol/checksums/crc64nvme.js';
import { Sha256 } from '../../protocol/checksums/sha256.js';
import { md5 } from './md5.js';
import { sha256, toHex } from './hmac.js';

/** CRC implementations of a platform. */
export interface Crcs {
  crc32: Crc32;
  crc32c: Crc32;
  crc64nvme(): Crc64Nvme;
}

/** Hash implementations of a platform. */
export interface Digests extends Crcs {
  sha256Hex(bytes: Uint8Array): string;
  md5(): RunningHash;
  sha256(): RunningHash;
  /** Lets the page draw. Called between pieces of a large body. @default hashing does not pause */
  yieldToEventLoop?(): Promise<void>;
}

/** Hashes for pages. Node has faster ones (`node/checksums`). */
export const portableDigests: Digests = {
  crc32,
  crc32c,
  crc64nvme: () => new Crc64Nvme(),
  sha256Hex: (bytes) => toHex(sha256(bytes)),
  md5,
  sha256: () => {
    const hash = new Sha256();
    return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest() };
  },
  yieldToEventLoop: () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    }),
};
