import { createHash, hash } from 'node:crypto';
import type { Digests, RunningHash } from '../../s3/digests.js';
import { crcs } from './crcs.js';

export const nodeDigests: Digests = {
  ...crcs,
  sha256Hex: (bytes) => hash('sha256', bytes),
  md5: () => running('md5'),
  sha256: () => running('sha256'),
};

function running(algorithm: string): RunningHash {
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') };
}
