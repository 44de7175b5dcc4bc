/** Longest extension. UTF-16 units. */
export const MAX_EXTENSION_LENGTH = 32;

/** Returns the extension of a file name: the text after the last dot in lower case; '' if there is none, as in `.env`. */
export function getExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

/**
 * Normalizes an extension as people write it, such as `.PDF`, `pdf` or `tar.gz`.
 * @returns lower case without a leading dot; undefined if the text is not an extension of at most 32 characters
 */
export function normalizeExtension(text: string): string | undefined {
  const extension = text.trim().replace(/^\./, '').toLowerCase();
  return /^[a-z0-9][a-z0-9+_-]*(\.[a-z0-9][a-z0-9+_-]*){0,3}$/.test(extension) && extension.length <= MAX_EXTENSION_LENGTH
    ? extension
    : undefined;
}

/** Returns whether a name has one of the normalized extensions. An allowed `tar.gz` matches the whole ending. */
export function hasAllowedExtension(name: string, allowed: readonly string[]): boolean {
  const lower = name.toLowerCase();
  const extension = getExtension(name);
  return allowed.some((candidate) =>
    candidate.includes('.') ? lower.endsWith(`.${candidate}`) && lower.length > candidate.length + 1 : extension === candidate,
  );
}
