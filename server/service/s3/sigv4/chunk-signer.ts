import type { ChunkSigner } from '../messages/chunked.js';
import { EMPTY_SHA256, hmac, sha256Hex } from './canonical.js';
import { scopeOf } from './claim.js';
import type { Verified } from './verify.js';

/** The chain of signatures over a body in chunks: each signs its chunk and the signature before it, the first that of the request. */
export function chunkSigner({ claim, key }: Pick<Verified<unknown>, 'claim' | 'key'>): ChunkSigner {
  let previous = claim.signature;
  const sign = (kind: 'PAYLOAD' | 'TRAILER', rest: string) => {
    previous = hmac(key, `AWS4-HMAC-SHA256-${kind}\n${claim.amzDate}\n${scopeOf(claim)}\n${previous}\n${rest}`).toString('hex');
    return previous;
  };
  return {
    chunk: (sha256) => sign('PAYLOAD', `${EMPTY_SHA256}\n${sha256}`),
    trailer: (block) => sign('TRAILER', sha256Hex(block)),
  };
}
