import { validationError } from '../../../src/protocol/errors.js';
import type { SearchOptions, SearchPosition } from '../storage/search/search-files.js';
import { fromCursor, toCursor } from './cursor.js';

type Order = Pick<SearchOptions, 'sort' | 'order'>;

/** Encodes the position after a page together with the order, because a position means nothing in another order. */
export const toSearchCursor = ({ sort, order }: Order, { key, value, byIndex }: SearchPosition): string =>
  toCursor(JSON.stringify([sort, order, key, value ?? null, byIndex ?? false]));

/** @throws `VALIDATION_ERROR` for a text that `toSearchCursor` cannot return for this order. */
export function fromSearchCursor(cursor: string, { sort, order }: Order): SearchPosition {
  const fields = parseFields(fromCursor(cursor));
  if (!Array.isArray(fields)) throw invalidCursor();
  const [sorted, direction, key, value, byIndex] = fields as unknown[];
  const hasValue = sort === 'key' ? value === null : Number.isSafeInteger(value);
  if (sorted !== sort || direction !== order || typeof key !== 'string' || key.includes('\0') || !hasValue) throw invalidCursor();
  return { key, ...(value !== null && { value: value as number }), ...(byIndex === true && { byIndex }) };
}

const invalidCursor = () => validationError('cursor', 'must be the cursor of an earlier response with the same sort and order');

function parseFields(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidCursor();
  }
}
