import { validationError } from '../../../src/protocol/errors.js';
import { toDisplayText } from '../../../src/protocol/display-text.js';

/** Longest title of a share, in UTF-16 units. */
export const MAX_TITLE = 100;

/** Validates the title of a share. @throws `VALIDATION_ERROR` */
export function parseTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === '' || trimmed.length > MAX_TITLE) throw validationError('title', `must have 1 to ${MAX_TITLE} characters`);
  // Control characters and characters that change the direction of text could make a page look like another one.
  if (toDisplayText(trimmed, '') !== trimmed) throw validationError('title', 'must not have control or direction characters');
  return trimmed;
}
