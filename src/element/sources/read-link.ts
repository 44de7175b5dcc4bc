import type { MessageKey } from '../locales/localizer.js';

/** Longest address that the service takes, in characters. */
const MAX_LENGTH = 2048;

/** A host and perhaps a port, as people write them. `example.com:8080` must not count as a scheme. */
const SCHEME = /^[a-z][a-z\d+.-]*:(?!\d)/i;

/** The address of a file, or the problem that the person can fix. */
export type Link = { readonly url: URL } | { readonly problem: MessageKey };

/** Reads what a person entered as a link. Adds a missing `https://`. The service decides which hosts it requests. */
export function readLink(text: string): Link {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'linkMissing' };
  const hasScheme = SCHEME.test(trimmed);
  const address = hasScheme ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return { problem: 'linkInvalid' };
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'linkScheme' };
  // A single word is no host, and some browsers take a sentence as one.
  if ((!hasScheme && !url.hostname.includes('.')) || url.hostname.includes('%')) return { problem: 'linkInvalid' };
  if (url.username !== '' || url.password !== '') return { problem: 'linkCredentials' };
  // The service does not receive it, and it makes no other file.
  url.hash = '';
  if (url.href.length > MAX_LENGTH) return { problem: 'linkTooLong' };
  return { url };
}

/** Returns the name of a file until the service knows it: the last segment of its address, or the host. */
export function nameOfLink({ pathname, hostname }: URL): string {
  const segment = pathname.split('/').findLast((one) => one !== '') ?? hostname;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
