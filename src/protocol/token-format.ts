/** The first characters of an upload token. */
export const TOKEN_PREFIX = 'svcup_';
/** The first characters of an API key. */
export const KEY_PREFIX = 'svc_live_';

/**
 * Finds out why a page must not use a string as an upload token. An API key in a page could be read by every visitor.
 * @returns a sentence, or undefined if the string can be a token
 */
export function findTokenProblem(token: string): string | undefined {
  // Older API keys have no prefix.
  if (token.startsWith(KEY_PREFIX) || /^[0-9a-f]{64}$/i.test(token.trim()))
    return 'This is an API key, and everyone who opens the page can read it. Revoke it, and mint an upload token ("svcup_…") on your server.';
  return /^[\u0021-\u007e]+$/.test(token) ? undefined : 'This is not a token. A token has printable ASCII characters only.';
}
