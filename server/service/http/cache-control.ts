import { trimEndCharacters } from '../../../src/protocol/trim.js';

// Parses `Cache-Control` by its grammar: https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2

/** A directive and the separator after it. Adjacent parts never match the same character, so matching takes linear time. */
const DIRECTIVE = /([\w!#$%&'*+.^`|~-]+)(?:=(?:[\w!#$%&'*+.^`|~-]+|"(?:[\t !#-[\]-~]|\\[\t -~])*"))?[ \t]*(?:,[\t ,]*|$)/y;
const MAX_LENGTH = 1024;

interface Directive {
  /** Lower-case. */
  name: string;
  /** The directive with its argument. */
  text: string;
}

/** @returns undefined if the text is not a list of directives. */
function parseDirectives(text: string): Directive[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const directives: Directive[] = [];
  let position = /^[\t ,]*/.exec(text)![0].length;
  while (position < text.length) {
    DIRECTIVE.lastIndex = position;
    const match = DIRECTIVE.exec(text);
    if (!match) return undefined;
    directives.push({ name: match[1]!.toLowerCase(), text: trimEndCharacters(match[0], '\t ,') });
    position = DIRECTIVE.lastIndex;
  }
  return directives;
}

/** Directives that allow shared caches to store a response. `private="a-header"` does not forbid it. */
const SHARING = new Set(['public', 's-maxage', 'proxy-revalidate', 'must-understand', 'private']);
const RESTRICTING = new Set(['private', 'no-cache', 'no-store']);
const PRIVATE = 'private, no-cache';

/** The header of a file that is delivered before its virus scan. A cache must not deliver it after the scan has found something. */
export const UNSCANNED_CACHE_CONTROL = 'no-store';

/**
 * Returns the header of a private file. It never allows shared caches to store the file.
 * @param value set by the owner. It is used if it restricts the browser's cache.
 */
export function privateCacheControl(value: string | null): string {
  const directives = value === null ? undefined : parseDirectives(value);
  // With an argument, these directives apply only to single headers.
  if (!directives?.some(({ name, text }) => RESTRICTING.has(name) && text.length === name.length)) return PRIVATE;
  const allowed = new Map<string, string>();
  for (const { name, text } of directives) if (!SHARING.has(name) && !allowed.has(name)) allowed.set(name, text);
  return ['private', ...allowed.values()].join(', ');
}

/** Returns the header of a public file. A value that is not valid in a header is ignored. */
export const publicCacheControl = (value: string | null): string =>
  value !== null && /^[\t -~]+$/.test(value) ? value : 'public, max-age=0, must-revalidate';
