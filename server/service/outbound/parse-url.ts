import { OutboundError } from './outbound-error.js';

/** Longest accepted URL, characters. */
export const MAX_URL_LENGTH = 2048;

/** Ports of the web, and unprivileged ones. Other ports belong to mail, shells and the like. */
const isAcceptedPort = (port: string): boolean => ['', '80', '443'].includes(port) || Number(port) >= 1024;

/**
 * Parses a URL that a user names. Addresses are checked later, after DNS.
 * @returns the URL without its fragment.
 * @throws OutboundError `invalid_url` whose message continues "The URL …".
 */
export function parseOutboundUrl(text: string, base?: URL): URL {
  const invalid = (problem: string) => new OutboundError('invalid_url', problem);
  if (text.length > MAX_URL_LENGTH) throw invalid(`must have at most ${MAX_URL_LENGTH} characters; got ${text.length}`);
  if (!URL.canParse(text, base)) throw invalid('must be an absolute URL such as https://example.com/hook');
  const url = new URL(text, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') throw invalid('must not contain a user name or password');
  if (!isAcceptedPort(url.port)) throw invalid(`must have port 80, 443, or one from 1024 on; got ${url.port}`);
  url.hash = '';
  return url;
}
