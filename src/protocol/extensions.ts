/** Returns the extension of a file name: the text after the last dot in lower case; '' if there is none, as in `.env`. */
export function getExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/** Normalizes an extension as people write it (`.PDF`, `pdf`, `tar.gz`). @returns undefined if it is none */
export function normalizeExtension(text: string): string | undefined {
  const extension = text.trim().replace(/^\./, '').toLowerCase();
  return /^[a-z0-9][a-z0-9+_-]*(\.[a-z0-9][a-z0-9+_-]*){0,3}$/.test(extension) && extension.length <= 32 ? extension : undefined;
}

/** Returns whether a name has one of the normalized extensions. An allowed `tar.gz` matches the whole ending. */
export function hasAllowedExtension(name: string, allowed: readonly string[]): boolean {
  const lower = name.toLowerCase();
  const extension = getExtension(name);
  return allowed.some((one) =>
    one.includes('.') ? lower.endsWith(`.${one}`) && lower.length > one.length + 1 : extension === one,
  );
}

/** The longest extension that counts as a name's ending. Characters. */
const MAX_EXTENSION_LENGTH = 32;

/** Splits a name before its ending, keeping double endings such as `.tar.gz` whole. */
export function splitName(name: string): { stem: string; ending: string } {
  const dot = name.lastIndexOf('.');
  const length = name.length - dot - 1;
  if (dot < 1 || length < 1 || length > MAX_EXTENSION_LENGTH) return { stem: name, ending: '' };
  const at = dot > 4 && name.slice(dot - 4, dot).toLowerCase() === '.tar' ? dot - 4 : dot;
  return { stem: name.slice(0, at), ending: name.slice(at) };
}
