import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time. Only a difference in length, which is no secret, ends the comparison early. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
