import { isWindowsDeviceName } from '../../protocol/windows-names.js';

/** Encodes keys for requests, compares them, and turns them into paths that cannot leave a directory. */

const UNRESERVED = /^[A-Za-z0-9\-._~/]*$/;
const encoder = new TextEncoder();

/** Encodes a key for the path of a request. Every byte except unreserved characters and `/` is percent-encoded. */
export function encodeKey(key: string): string {
  if (UNRESERVED.test(key)) return key;
  return encodeQuery(key).replaceAll('%2F', '/');
}

/** Encodes a query value by RFC 3986. `encodeURIComponent` does not encode `!'()*`. */
export const encodeQuery = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns a query string sorted by name, as the signature requires. Entries without a value are written as `name=`. */
export const queryString = (parameters: Record<string, string | number | undefined>): string =>
  Object.entries(parameters)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(String(value))}`)
    .join('&');

/** Largest number of UTF-8 bytes of a key. */
export const KEY_MAX_BYTES = 1024;

/** Returns why a text cannot be a key; undefined if it can. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'a key must not be empty';
  if (key.length * 3 > KEY_MAX_BYTES && encoder.encode(key).length > KEY_MAX_BYTES)
    return `a key must have at most ${KEY_MAX_BYTES} bytes`;
  if (key.includes('\0')) return 'a key must not contain a zero byte';
  if (/\p{Surrogate}/u.test(key)) return 'the name is not valid Unicode';
  // Browsers and many other clients resolve such segments before they send a request, so they could not reach the object.
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return 'no segment may be "." or ".."';
  return undefined;
}

/**
 * Returns the relative path for an object, or why it has none. Names are never changed silently. Two keys never share a path, and
 * a path never leads out of its directory.
 */
export function localPath(name: string): { path: string } | { problem: string } {
  if (name === '') return { problem: 'the key is the prefix itself' };
  if (name.startsWith('/')) return { problem: 'the name begins with a slash' };
  const path = name.endsWith('/') ? name.slice(0, -1) : name;
  const segments = `/${path}/`;
  if (segments.includes('//')) return { problem: 'the name has an empty segment' };
  if (segments.includes('/./') || segments.includes('/../')) return { problem: 'the name has a segment "." or ".."' };
  if (path.includes('\0')) return { problem: 'the name has a zero byte' };
  return { path };
}

/** Returns why Windows cannot store a path that `localPath` accepts. */
export function windowsProblem(path: string): string | undefined {
  for (const segment of path.split('/')) {
    // oxlint-disable-next-line no-control-regex
    if (/[<>:"\\|?*\u0000-\u001f]/.test(segment)) return 'Windows does not allow < > : " \\ | ? * or control characters in names';
    if (/[. ]$/.test(segment)) return 'Windows does not allow names that end in a dot or a space';
    if (isWindowsDeviceName(segment)) return 'Windows reserves this name for a device';
  }
  return undefined;
}

/** Compares keys in the order of listings: by UTF-8 bytes. For surrogate pairs, the order of UTF-16 units differs from it. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? byCodePoint(x, y) : x - y;
  }
  return a.length - b.length;
}

/** Sorts units from U+E000 before surrogates, which encode U+10000 and above. */
const byCodePoint = (x: number, y: number): number =>
  (x >= 0xe000 ? x - 0x2000 : x + 0x2000) - (y >= 0xe000 ? y - 0x2000 : y + 0x2000);

/** Returns the name of a file or directory below a prefix. The name of a directory ends in a slash. */
export const nameOf = ({ path, directory }: { path: string; directory?: boolean }): string => (directory ? `${path}/` : path);

/** Joins a prefix and a relative path. The prefix of a folder already ends in a slash. */
export const joinKey = (prefix: string, path: string): string => prefix + path;
