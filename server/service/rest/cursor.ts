import { invalid } from '../../../src/protocol/errors.js';

/** A cursor is the name to go on after, so it is good on every replica and for ever. */
export const toCursor = (name: string): string => Buffer.from(name).toString('base64url');

/** @throws `VALIDATION_ERROR` for what no listing answers. */
export function fromCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (toCursor(name) !== cursor || name.includes('\0')) throw invalid('cursor', 'is not one that this service gave out');
  return name;
}
