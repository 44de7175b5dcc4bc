import { validationError } from '../../../src/protocol/errors.js';
import type { App } from './context.js';

/** Longest body of a form, in bytes. */
const FORM_LIMIT = 16 * 1024;

/**
 * Lets the routes of a scope read forms. No other route accepts them, because a page of another site can send a form with cookies. Routes with
 * forms of pages must call `assertFormOrigin`. A repeated field is refused, because a proxy and this service could read another of its values.
 */
export function addFormParser(scope: App): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT },
    (_request, body, done) => {
      const fields: Record<string, string> = Object.create(null) as Record<string, string>;
      for (const [name, value] of new URLSearchParams(body as string)) {
        if (name in fields) return done(validationError(name, 'must be sent once'));
        fields[name] = value;
      }
      return done(null, fields);
    },
  );
}

/** Returns a field of a form; empty if it is missing. */
export const fieldOf = (body: unknown, name: string): string => (body as Record<string, string> | undefined)?.[name] ?? '';
