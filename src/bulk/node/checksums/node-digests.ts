import type { RunningHash } from '../../s3/running-hash.js';
import { createHash, hash } from 'node:crypto';
import type { Digests } from '../../s3/digests.js';
import { nodeCrcs } from './node-crcs.js';

/** The hashes and CRCs of Node. */
export const nodeDigests: Digests = {
  ...nodeCrcs,
  sha256Hex: (bytes) => hash('sha256', bytes),
  md5: () => runningHash('md5'),
  sha256: () => runningHash('sha256'),
};

function runningHash(algorithm: string): RunningHash {
  const running = createHash(algorithm);
  return { update: (bytes) => void running.update(bytes), hex: () => running.digest('hex') };
}
