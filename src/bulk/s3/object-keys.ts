/** Keys, their encoding on the wire, and the way from a key to a path that can never leave its directory. */

const UNRESERVED = /^[A-Za-z0-9\-._~/]*$/;
const encoder = new TextEncoder();

/** A key as S3 wants it in a path: every byte but unreserved characters and `/` percent-encoded. */
export function encodeKey(key: string): string {
  if (UNRESERVED.test(key)) return key;
  return encodeQuery(key).replaceAll('%2F', '/');
}

/** As RFC 3986 has it, for query values: `encodeURIComponent` leaves `!'()*` alone. */
export const encodeQuery = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** A query string in the order that is signed. Entries without a value are written `name=`. */
export const queryString = (parameters: Record<string, string | number | undefined>): string =>
  Object.entries(parameters)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(String(value))}`)
    .join('&');

/** S3's limit on a key, in UTF-8 bytes. */
export const KEY_MAX_BYTES = 1024;

/** Why a text can be no key; undefined when it can. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'a key may not be empty';
  if (key.length * 3 > KEY_MAX_BYTES && encoder.encode(key).length > KEY_MAX_BYTES)
    return `a key may have ${KEY_MAX_BYTES} bytes`;
  if (key.includes('\0')) return 'a key may not have a zero byte';
  if (/\p{Surrogate}/u.test(key)) return 'the name is no valid Unicode';
  // Browsers and many other clients resolve such segments in an address before they send it: the object would be out of their reach.
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return 'no segment may be "." or ".."';
  return undefined;
}

/**
 * The relative path at which an object lands, or why it can have none. Nothing here is repaired in silence: two keys
 * never share a path, and a path never climbs.
 */
export function localPath(rest: string): { path: string } | { problem: string } {
  if (rest === '') return { problem: 'the object has the very name of the prefix' };
  if (rest.startsWith('/')) return { problem: 'the name begins with a slash' };
  const path = rest.endsWith('/') ? rest.slice(0, -1) : rest;
  const segments = `/${path}/`;
  if (segments.includes('//')) return { problem: 'the name has an empty segment' };
  if (segments.includes('/./') || segments.includes('/../')) return { problem: 'the name has "." or ".." for a segment' };
  if (path.includes('\0')) return { problem: 'the name has a zero byte' };
  return { path };
}

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(?:\.|$)/i;

/** Returns why Windows cannot store a path that `localPath` accepts. */
export function windowsProblem(path: string): string | undefined {
  for (const segment of path.split('/')) {
    // oxlint-disable-next-line no-control-regex
    if (/[<>:"\\|?*\u0000-\u001f]/.test(segment))
      return 'Windows has no file with one of < > : " \\ | ? * or a control character';
    if (/[. ]$/.test(segment)) return 'Windows has no file whose name ends in a dot or a space';
    if (WINDOWS_DEVICE.test(segment)) return 'the name is a device of Windows';
  }
  return undefined;
}

/** The order in which stores list: by UTF-8 bytes, which for surrogate pairs is not the order of UTF-16 units. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? byCodePoint(x, y) : x - y;
  }
  return a.length - b.length;
}

/** Units from U+E000 up sort before surrogates, which stand for U+10000 and more. */
const byCodePoint = (x: number, y: number): number =>
  (x >= 0xe000 ? x - 0x2000 : x + 0x2000) - (y >= 0xe000 ? y - 0x2000 : y + 0x2000);

/** Name of a file or directory below a prefix. */
export const nameOf = ({ path, directory }: { path: string; directory?: boolean }): string => (directory ? `${path}/` : path);

/** Joins a prefix and a relative path; a prefix that names a folder ends in a slash already. */
export const joinKey = (prefix: string, path: string): string => prefix + path;
