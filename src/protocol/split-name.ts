import { MAX_EXTENSION_LENGTH } from './extensions.js';

/**
 * Splits a name before its extension. Double extensions such as `.tar.gz` stay together.
 * @returns `ending` begins with a dot, or is '' if there is no extension of at most 32 characters
 */
export function splitName(name: string): { stem: string; ending: string } {
  const dot = name.lastIndexOf('.');
  const length = name.length - dot - 1;
  if (dot < 1 || length < 1 || length > MAX_EXTENSION_LENGTH) return { stem: name, ending: '' };
  const isTar = dot > 4 && name.slice(dot - 4, dot).toLowerCase() === '.tar';
  const start = isTar ? dot - 4 : dot;
  return { stem: name.slice(0, start), ending: name.slice(start) };
}
