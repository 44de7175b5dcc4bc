import { compileGlob } from './glob.js';
import type { Glob } from './glob.js';

/** `--include` and `--exclude`: later rules win over earlier ones. */
export interface FilterRule {
  include: boolean;
  pattern: string;
}

export interface PathFilter {
  (path: string): boolean;
  /** Whether nothing below a directory can be wanted. That it is not wanted itself says nothing of what it holds. */
  coversAll?(directory: string): boolean;
}

/**
 * Whether a path is wanted. `*`, `?` and `[abc]`, which is a set, stop at slashes, `**` does not; `{a,b}` is a choice. A pattern
 * with a slash inside, or before it (`/` or `./`), is matched from the start, one without at any depth. What it matches stands for all
 * below as well, where it is a directory; one that ends in a slash stands for that alone.
 * When the first rule includes, only what some rule includes is wanted; otherwise all that none excludes.
 */
export function makeFilter(rules: FilterRule[]): PathFilter {
  if (rules.length === 0) return () => true;
  const compiled = rules.map(({ include, pattern }) => ({ include, test: compileGlob(pattern), deep: DEEP.test(pattern) }));
  const otherwise = !rules[0]!.include;
  const filter: PathFilter = (path) => {
    let wanted = otherwise;
    for (const rule of compiled) if (rule.test.test(path)) wanted = rule.include;
    return wanted;
  };
  filter.coversAll = (directory) => {
    const covers = (test: Glob, deep: boolean): boolean => test.test(directory) || (deep && test.test(`${directory}/`));
    const last = compiled.findLast((rule) => rule.include || covers(rule.test, rule.deep));
    return last?.include === false;
  };
  return filter;
}

/** The end of a pattern that matches all below whatever it matches. */
const DEEP = /\/$|(?:^|[^\\])\*\*$/;
