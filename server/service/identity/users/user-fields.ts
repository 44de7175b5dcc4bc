import { validationError } from '../../../../src/protocol/errors.js';
import type { Language } from '../../drivers/metadata/identity-tables.js';

export type { Language } from '../../drivers/metadata/identity-tables.js';

/** Languages of users. */
export const LANGUAGES = ['pt-br', 'en-us', 'es-es'] as const satisfies readonly Language[];

/** Longest email, in characters: https://www.rfc-editor.org/errata/eid1690 */
export const MAX_EMAIL = 254;
/** Longest name of a user, in characters. */
export const MAX_NAME = 100;

/** Control characters and line separators. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Returns an email without the space around it. @throws `VALIDATION_ERROR` */
export function parseEmail(text: string, field = 'email'): string {
  const email = text.trim();
  if (email.length > MAX_EMAIL || CONTROLS.test(email) || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(email))
    throw validationError(field, `must be an email address such as ana@example.org with at most ${MAX_EMAIL} characters`);
  return email;
}

/** Returns a name without the space around it. @throws `VALIDATION_ERROR` */
export function parseName(text: string, field = 'name'): string {
  const name = text.trim();
  if (name === '' || [...name].length > MAX_NAME || CONTROLS.test(name))
    throw validationError(field, `must have 1 to ${MAX_NAME} characters and no control characters`);
  return name;
}

export const isLanguage = (text: unknown): text is Language => (LANGUAGES as readonly unknown[]).includes(text);
