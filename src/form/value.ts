import type { FileRecord } from '../protocol/types.js';

/** One entry a finished upload, as `<input type=file multiple>` would send one a file; null when there is nothing to send. */
export function toFormValue(name: string, records: readonly FileRecord[]): FormData | null {
  if (name === '' || records.length === 0) return null;
  const data = new FormData();
  for (const record of records) data.append(name, record.path);
  return data;
}

/** What Back and reload give back to `formStateRestoreCallback`: the finished uploads, never a token. */
export const encodeState = (records: readonly FileRecord[]): string => JSON.stringify(records);

const isRecord = (value: unknown): value is FileRecord =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as FileRecord).id === 'string' &&
  typeof (value as FileRecord).path === 'string' &&
  typeof (value as FileRecord).name === 'string' &&
  typeof (value as FileRecord).size === 'number';

/** The uploads of a stored state; what is not ours (an older version's, another element's) is left out. */
export function decodeState(state: unknown): FileRecord[] {
  if (typeof state !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(state);
    return Array.isArray(parsed) ? parsed.filter(isRecord) : [];
  } catch {
    return [];
  }
}
