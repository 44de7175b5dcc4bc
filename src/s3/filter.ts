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
  const compiled = rules.map(({ include, pattern }) => ({ include, test: globToRegExp(pattern), deep: DEEP.test(pattern) }));
  const otherwise = !rules[0]!.include;
  const filter: PathFilter = (path) => {
    let wanted = otherwise;
    for (const rule of compiled) if (rule.test.test(path)) wanted = rule.include;
    return wanted;
  };
  filter.coversAll = (directory) => {
    const covers = (test: RegExp, deep: boolean): boolean => test.test(directory) || (deep && test.test(`${directory}/`));
    const last = compiled.findLast((rule) => rule.include || covers(rule.test, rule.deep));
    return last?.include === false;
  };
  return filter;
}

/** The end of a pattern that matches all below whatever it matches. */
const DEEP = /\/$|(?:^|[^\\])\*\*$/;

/** @throws SyntaxError when brackets or braces do not close. */
export function globToRegExp(glob: string): RegExp {
  const rooted = glob.replace(/^\.\//, '/');
  let source = rooted.replace(/\/$/, '').includes('/') ? '^' : '(?:^|/)';
  const pattern = rooted.endsWith('/') ? `${rooted}**` : rooted;
  const anchored = pattern.startsWith('/') ? pattern.slice(1) : pattern;
  let depth = 0;
  for (let i = 0; i < anchored.length; i++) {
    const character = anchored[i]!;
    if (character === '*') {
      if (anchored[i + 1] !== '*') source += '[^/]*';
      else {
        const folder = anchored[i + 2] === '/';
        source += folder ? '(?:.*/)?' : '.*';
        i += folder ? 2 : 1;
      }
    } else if (character === '?') source += '[^/]';
    else if (character === '[') {
      const end = anchored.indexOf(']', i + 2);
      if (end < 0) throw new SyntaxError(`${glob}: [ without ]`);
      if (/^\[[:.=]/.test(anchored.slice(i + 1))) throw new SyntaxError(`${glob}: classes as [:alpha:] are not known; say [a-z]`);
      const set = anchored
        .slice(i + 1, end)
        .replace(/^!/, '^')
        .replaceAll('\\', '\\\\');
      source += `(?!/)[${set}]`;
      i = end;
    } else if (character === '{') {
      depth++;
      source += '(?:';
    } else if (character === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (character === ',' && depth > 0) source += '|';
    else if (character === '\\' && i + 1 < anchored.length) source += escape(anchored[++i]!);
    else source += escape(character);
  }
  if (depth > 0) throw new SyntaxError(`${glob}: { without }`);
  return new RegExp(`${source}(?:/.*)?$`, 'su');
}

const escape = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
