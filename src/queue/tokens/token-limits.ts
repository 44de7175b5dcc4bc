import { hasAllowedExtension } from '../../protocol/extensions.js';
import type { Limits } from '../types.js';

/** The limits that a token can have. */
export type TokenLimits = Pick<Limits, 'maxSize' | 'allowedExtensions' | 'allowFetch'>;

const minLimit = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);

/** Returns the extensions that both lists allow. `gz` allows `tar.gz`, so both lists together allow `tar.gz`. */
function intersectExtensions(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  const allowedBy = (list: readonly string[], by: readonly string[]) =>
    list.filter((entry) => hasAllowedExtension(`x.${entry}`, by));
  return [...new Set([...allowedBy(one, other), ...allowedBy(other, one)])];
}

/** Combines the limits of the page and the token. Each can only narrow the other. `allowFetch` comes from either. */
export const narrowLimits = (limits: Limits, token: TokenLimits): Limits => ({
  ...token,
  ...limits,
  maxSize: minLimit(limits.maxSize, token.maxSize),
  allowedExtensions: intersectExtensions(limits.allowedExtensions, token.allowedExtensions),
});
