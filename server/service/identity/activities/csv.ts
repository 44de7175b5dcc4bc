import type { ActivityRecord } from './activity-record.js';

const COLUMNS = [
  'created_at',
  'action',
  'status',
  'target_type',
  'target_id',
  'author_id',
  'author',
  'origin',
  'workspace_id',
  'details',
  'id',
] as const satisfies readonly (keyof ActivityRecord)[];

/**
 * Spreadsheets run a cell that begins with one of these characters as a formula, also after a tab or line break, and in the full width of East
 * Asian keyboards.
 */
const FORMULA = /^[\t\r\n=+\-@＝＋－＠]/;

/** Quotes a cell. An apostrophe makes spreadsheets show a formula as text. */
export function csvCell(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Returns the first line of an export. Lines end as RFC 4180 requires. */
export const csvHeader = (): string => `${COLUMNS.join(',')}\r\n`;

export const csvLine = (record: ActivityRecord): string => `${COLUMNS.map((name) => csvCell(record[name])).join(',')}\r\n`;
