import { OauthError } from './oauth-error.js';

/** Most redirect URIs of a client. */
const MAX_URIS = 10;
/** Most characters of all redirect URIs of a client together. They are part of the client id, which is sent in URLs. */
const MAX_CHARACTERS = 2048;

/** Schemes that run code, read local data, show a page of the browser itself, or start no application. */
const REFUSED_SCHEMES = [
  'about',
  'blob',
  'chrome',
  'data',
  'file',
  'filesystem',
  'ftp',
  'http',
  'intent',
  'jar',
  'javascript',
  'mailto',
  'resource',
  'sms',
  'tel',
  'vbscript',
  'view-source',
  'ws',
  'wss',
];

/** A loopback address, whose port may differ. The text is compared, because URL parsers also accept `127.1` and `0x7f000001`. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?((?:[/?].*)?)$/;

const invalid = (problem: string) => new OauthError('invalid_redirect_uri', `A redirect URI ${problem}.`);

/**
 * Validates a redirect URI: https, http on the loopback interface, or a private scheme, without fragment and user information.
 * @throws OauthError `invalid_redirect_uri`
 */
export function assertRedirectUri(uri: string): void {
  // URL parsers remove spaces and line breaks and read a backslash as a slash, so the text that they accept may differ from the URI.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\'))
    throw invalid('must have only ASCII characters, no space and no backslash');
  if (uri.includes('#')) throw invalid('must not have a fragment');
  const scheme = /^([a-z][a-z0-9+.-]*):./.exec(uri)?.[1];
  if (scheme === undefined || !URL.canParse(uri)) throw invalid('must be an absolute URI with a scheme in lower case');
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(uri)?.[1];
  if (authority?.includes('@')) throw invalid('must not have user information');
  if (scheme === 'https') {
    // `https:/host` and `https:host` are read as `https://host`.
    if (!authority) throw invalid('with https must have a host after //');
    return;
  }
  if (!LOOPBACK.test(uri) && REFUSED_SCHEMES.includes(scheme))
    throw invalid('must use https, http on 127.0.0.1, [::1] or localhost, or a private scheme of an application');
}

/** Validates the redirect URIs of a registration. @throws OauthError `invalid_redirect_uri` */
export function assertRedirectUris(uris: readonly string[]): void {
  if (uris.length === 0 || uris.length > MAX_URIS)
    throw new OauthError('invalid_redirect_uri', `redirect_uris must have 1 to ${MAX_URIS} URIs; got ${uris.length}.`);
  const characters = uris.reduce((sum, uri) => sum + uri.length, 0);
  if (characters > MAX_CHARACTERS)
    throw new OauthError(
      'invalid_redirect_uri',
      `redirect_uris must have at most ${MAX_CHARACTERS} characters; got ${characters}.`,
    );
  for (const uri of uris) assertRedirectUri(uri);
}

/** A redirect URI on the loopback interface without its port; undefined for any other. */
function withoutPort(uri: string): string | undefined {
  const [, host, rest] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? undefined : `${host} ${rest}`;
}

/**
 * Returns whether a redirect URI is one of a client's. URIs are compared as texts. Applications listen on any free port of the loopback interface, so
 * only its port is ignored: https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true;
  const loopback = withoutPort(uri);
  return loopback !== undefined && URL.canParse(uri) && registered.some((candidate) => withoutPort(candidate) === loopback);
}

/** The receiver of a redirect, for people. */
export interface RedirectTarget {
  kind: 'site' | 'this computer' | 'application';
  /** The host of a site or of this computer, or the scheme of an application with its colon. */
  name: string;
}

export function redirectTarget(uri: string): RedirectTarget {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:') return { kind: 'site', name: host };
  return LOOPBACK.test(uri) ? { kind: 'this computer', name: host } : { kind: 'application', name: protocol };
}

/** Adds parameters to a redirect URI and keeps its own text, so that it stays what the client registered. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${separator}${query.toString()}`;
}
