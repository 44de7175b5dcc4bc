import { compileGlob } from './glob.js';
import type { Glob } from './glob.js';

/** One `--include` or `--exclude`. Later rules take precedence. */
export interface FilterRule {
  /** Whether matching paths are included; otherwise they are excluded. */
  include: boolean;
  /** Glob as described at `makeFilter`. */
  pattern: string;
}

/** Tests relative paths. */
export interface PathFilter {
  /** Returns whether a path is included. */
  (path: string): boolean;
  /** Returns whether everything below a directory is excluded. An excluded directory may still hold included files. */
  coversAll?(directory: string): boolean;
}

/**
 * Creates a filter from rules.
 *
 * - `*`, `?` and the set `[abc]` do not match slashes. `**` does. `{a,b}` matches either alternative.
 * - A pattern with a slash inside or at the start (`/` or `./`) matches from the start of the path. Other patterns match at any
 *   depth.
 * - A pattern that matches a directory also matches everything below it. A pattern that ends in a slash matches only what is below.
 *
 * If the first rule includes, only paths that some rule includes pass. Otherwise all paths pass that no rule excludes.
 * @throws SyntaxError if brackets or braces do not close
 */
export function makeFilter(rules: FilterRule[]): PathFilter {
  if (rules.length === 0) return () => true;
  const compiled = rules.map(({ include, pattern }) => ({
    include,
    glob: compileGlob(pattern),
    matchesBelow: ENDS_WITH_ALL.test(pattern),
  }));
  const isIncludedByDefault = !rules[0]!.include;
  const filter: PathFilter = (path) => {
    let isIncluded = isIncludedByDefault;
    for (const rule of compiled) if (rule.glob.test(path)) isIncluded = rule.include;
    return isIncluded;
  };
  filter.coversAll = (directory) => {
    const covers = (glob: Glob, matchesBelow: boolean): boolean =>
      glob.test(directory) || (matchesBelow && glob.test(`${directory}/`));
    const last = compiled.findLast((rule) => rule.include || covers(rule.glob, rule.matchesBelow));
    return last?.include === false;
  };
  return filter;
}

/** Matches patterns that match everything below a directory. */
const ENDS_WITH_ALL = /\/$|(?:^|[^\\])\*\*$/;
