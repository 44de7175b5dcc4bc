import { trimEndCharacters } from './trim.js';

/** Longest address (UTF-16 units) that is looked at. */
const MAX_ADDRESS_LENGTH = 2048;

/**
 * Reads the base address of a service: absolute, http or https, without user name, query and fragment. A relative address would
 * send files and tokens to the page's own origin, as `blob.example.com` does where `https://` was forgotten.
 * @returns the address without closing slashes, or undefined if it is no such address
 */
export function readBaseAddress(text: string): string | undefined {
  const stated = text.length <= MAX_ADDRESS_LENGTH ? text.trim() : '';
  if (!/^https?:\/\/[^\s/\\]\S*$/i.test(stated) || !URL.canParse(stated)) return undefined;
  const { origin, pathname, username, password, search, hash } = new URL(stated);
  if (username || password || search || hash) return undefined;
  return origin + trimEndCharacters(pathname, '/');
}
