import type { ChunkSigner } from '../body/aws-chunked-decoder.js';
import { EMPTY_SHA256, hmac, sha256Hex } from './canonical-request.js';
import { credentialScope } from './request-signature.js';
import type { VerifiedSignature } from './verify-signature.js';

/** Signs the chunks of a body. Each signature covers its chunk and the previous signature. The chain starts with the signature of the request. */
export function chunkSigner({ signature, key }: Pick<VerifiedSignature<unknown>, 'signature' | 'key'>): ChunkSigner {
  let previous = signature.value;
  const sign = (kind: 'PAYLOAD' | 'TRAILER', rest: string) => {
    previous = hmac(
      key,
      `AWS4-HMAC-SHA256-${kind}\n${signature.amzDate}\n${credentialScope(signature)}\n${previous}\n${rest}`,
    ).toString('hex');
    return previous;
  };
  return {
    chunk: (sha256) => sign('PAYLOAD', `${EMPTY_SHA256}\n${sha256}`),
    trailer: (block) => sign('TRAILER', sha256Hex(block)),
  };
}
