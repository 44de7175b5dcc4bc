import { KEY_PREFIX } from './limits.js';

/** Why a string must not be used as a token in a page, or undefined. An API key here would be everyone's. */
export function findTokenProblem(token: string): string | undefined {
  if (token.startsWith(KEY_PREFIX) || /^[0-9a-f]{64}$/i.test(token.trim()))
    return 'This is an API key, and everyone who opens the page can read it: revoke it, and mint an upload token ("svcup_…") on your server.';
  return /^[\u0021-\u007e]+$/.test(token) ? undefined : 'This cannot be a token.';
}
