import { S3Error } from '../errors.js';
import type { Store } from '../s3/object-store.js';
import type { Place } from '../types.js';

/** Advice for copies between overlapping prefixes. */
export const COPY_ELSEWHERE_FIRST = 'Copy to another prefix first, and from there.';

/**
 * Refuses overlapping prefixes. The copy would read the objects that it wrote, without end.
 * @param prefixesOverlap whether one prefix begins with the other
 * @throws S3Error `InvalidOption`
 */
export function requireDisjoint(store: Store, from: Place, to: Place, prefixesOverlap: boolean): void {
  if (!prefixesOverlap || !isSameBucket(store, from.bucket, to.bucket)) return;
  const [source, target] = [from, to].map(({ bucket, prefix }) => `s3://${bucket}/${prefix}`);
  throw new S3Error('InvalidOption', `${source} and ${target} overlap: one lies in the other. ${COPY_ELSEWHERE_FIRST}`);
}

/** Compares names of buckets. A bucket that is part of a host name is case-insensitive. */
export function isSameBucket(store: Store, a: string, b: string): boolean {
  if (a === b) return true;
  const name = a.toLowerCase();
  return name === b.toLowerCase() && store.originOf(a).hostname.startsWith(`${name}.`);
}
