// Keys are ordered by their UTF-8 bytes, which is the order of code points.

/** Compares keys in UTF-8 byte order. */
export const isKeyBefore = (key: string, other: string): boolean => Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0;

/** Returns the first key after all keys that start with `prefix`; undefined if there is none. */
export function firstKeyAfterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    // Code points from 0xd800 to 0xdfff are surrogates, not characters.
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}

/**
 * Returns the common prefix under which a listing shows a key: up to the first delimiter after `prefix`, inclusive.
 * @param delimiter '' for a listing without common prefixes.
 * @returns undefined if the listing shows the key itself.
 */
export function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const index = key.indexOf(delimiter, prefix.length);
  return index === -1 ? undefined : key.slice(0, index + delimiter.length);
}
