import { trimEndCharacters } from './trim.js';

/** Longer addresses are refused before they are parsed. UTF-16 units. */
const MAX_ADDRESS_LENGTH = 2048;

/**
 * Parses the base address of a service: absolute, http or https, without user name, query and fragment. Relative addresses are
 * refused, because they would send files and tokens to the page's own origin. `blob.example.com` without `https://` is relative.
 * @returns the address without slashes at its end, or undefined if it is not a valid base address
 */
export function readBaseAddress(text: string): string | undefined {
  const address = text.length <= MAX_ADDRESS_LENGTH ? text.trim() : '';
  if (!/^https?:\/\/[^\s/\\]\S*$/i.test(address) || !URL.canParse(address)) return undefined;
  const { origin, pathname, username, password, search, hash } = new URL(address);
  if (username || password || search || hash) return undefined;
  return origin + trimEndCharacters(pathname, '/');
}
