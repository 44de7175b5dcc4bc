import { hasAllowedExtension } from '../../protocol/extensions.js';
import type { Limits } from '../types.js';

export const NO_LIMITS: Limits = {
  maxSize: null,
  allowedExtensions: null,
  maxFiles: null,
  maxTotalSize: null,
  allowEmpty: false,
};

/** The part of the limits that a token knows. */
export type TokenLimits = Pick<Limits, 'maxSize' | 'allowedExtensions'>;

const least = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);

/** Extensions that both lists allow; `gz` allows `tar.gz` as well, and what is left is then `tar.gz`. */
function both(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  const within = (list: readonly string[], by: readonly string[]) =>
    list.filter((entry) => hasAllowedExtension(`x.${entry}`, by));
  return [...new Set([...within(one, other), ...within(other, one)])];
}

/** The page's limits and the token's: each can only narrow the other. */
export const narrowLimits = (limits: Limits, token: TokenLimits): Limits => ({
  ...limits,
  maxSize: least(limits.maxSize, token.maxSize),
  allowedExtensions: both(limits.allowedExtensions, token.allowedExtensions),
});
