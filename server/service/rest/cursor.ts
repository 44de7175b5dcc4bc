import { validationError } from '../../../src/protocol/errors.js';

/** Encodes the last name of a page. The cursor therefore works on every replica and never expires. */
export const toCursor = (name: string): string => Buffer.from(name).toString('base64url');

/** @throws `VALIDATION_ERROR` for a text that `toCursor` cannot return. */
export function fromCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (toCursor(name) !== cursor || name.includes('\0'))
    throw validationError('cursor', 'must be the cursor of an earlier response');
  return name;
}
