import { hmac } from './canonical.js';

const MAX_CACHED = 1000;
const cache = new Map<string, Buffer>();

/**
 * The key that signs one day's requests in one region. Four HMACs make it, so the last thousand are remembered; the entry is
 * found by the secret itself, so a revoked or changed pair can never be answered from here.
 */
export function signingKey(secret: string, date: string, region: string): Buffer {
  const id = `${date}/${region}/${secret}`;
  const known = cache.get(id);
  if (known) return known;
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), 's3'), 'aws4_request');
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!);
  cache.set(id, key);
  return key;
}
