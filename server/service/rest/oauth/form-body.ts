import { OauthError } from '../../identity/oauth/oauth-error.js';
import type { App } from '../context.js';

/** Most bytes of a form. */
const FORM_LIMIT = 16 * 1024;

/**
 * Makes a scope accept form-encoded bodies and nothing else. A repeated parameter is refused, because a proxy and this service could read another
 * of its values: https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export function acceptForms(scope: App): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT },
    async (_request: unknown, text: string) => parseForm(text),
  );
}

/** @throws OauthError `invalid_request` for a repeated parameter. */
function parseForm(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw new OauthError('invalid_request', 'A parameter must not be repeated.');
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
