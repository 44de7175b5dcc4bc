import { trimEndOf } from '../../../src/protocol/trim.js';

// `Cache-Control` (https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2), read by its grammar: what a substring says is no directive.

/** One directive, and whatever separates it from the next. No two neighbouring parts of it match the same character. */
const DIRECTIVE = /([\w!#$%&'*+.^`|~-]+)(?:=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t !#-[\]-~]|\\[\t -~])*"))?[ \t]*(?:,[\t ,]*|$)/y;
const MAX_LENGTH = 1024;

interface Directive {
  /** Lower-case. */
  name: string;
  /** As it was written, with its argument. */
  text: string;
}

/** @returns undefined when the text is no list of directives. */
function parseDirectives(text: string): Directive[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const directives: Directive[] = [];
  for (let at = /^[\t ,]*/.exec(text)![0].length; at < text.length; at = DIRECTIVE.lastIndex) {
    DIRECTIVE.lastIndex = at;
    const match = DIRECTIVE.exec(text);
    if (!match) return undefined;
    directives.push({ name: match[1]!.toLowerCase(), text: trimEndOf(match[0], '\t ,') });
  }
  return directives;
}

/** These let a shared cache store an answer that is not for everyone. `private="a-header"` does not forbid it either. */
const SHARING = new Set(['public', 's-maxage', 'proxy-revalidate', 'must-understand', 'private']);
const RESTRICTING = new Set(['private', 'no-cache', 'no-store']);
const PRIVATE = 'private, no-cache';

/**
 * The header of a private file, which stays out of shared caches whatever its owner said of caching.
 * @param stated what the owner said; it counts when it restricts the browser's own cache.
 */
export function privateCacheControl(stated: string | null): string {
  const directives = stated === null ? undefined : parseDirectives(stated);
  // With an argument, these speak of single headers alone.
  if (!directives?.some(({ name, text }) => RESTRICTING.has(name) && text.length === name.length)) return PRIVATE;
  const kept = new Map<string, string>();
  for (const { name, text } of directives) if (!SHARING.has(name) && !kept.has(name)) kept.set(name, text);
  return ['private', ...kept.values()].join(', ');
}

/** The header of a public file. A value that cannot stand in a header counts as none. */
export const publicCacheControl = (stated: string | null): string =>
  stated !== null && /^[\t -~]+$/.test(stated) ? stated : 'public, max-age=0, must-revalidate';
