import { hmac } from './canonical-request.js';

const MAX_CACHED_KEYS = 1000;
const cache = new Map<string, Buffer>();

/**
 * Derives the key that signs the requests of one day in one region. The derivation takes four HMACs, so 1,000 keys are cached. The cache
 * key contains the secret, so a revoked or changed key pair never gets a cached key.
 */
export function signingKey(secret: string, date: string, region: string): Buffer {
  const id = `${date}/${region}/${secret}`;
  const cached = cache.get(id);
  if (cached) return cached;
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), 's3'), 'aws4_request');
  if (cache.size >= MAX_CACHED_KEYS) cache.delete(cache.keys().next().value!);
  cache.set(id, key);
  return key;
}
