import type { FileRecord, StoredFile } from '../../protocol/types.js';

/** One entry a finished upload, as `<input type=file multiple>` would send one a file; null when there is nothing to send. */
export function toFormValue(name: string, records: readonly FileRecord[]): FormData | null {
  if (name === '' || records.length === 0) return null;
  const data = new FormData();
  for (const record of records) data.append(name, record.path);
  return data;
}

/** What Back and reload give back to `formStateRestoreCallback`: the finished uploads, never a token. */
export const encodeState = (files: readonly StoredFile[]): string => JSON.stringify(files);

/** Whether there is what a list and a form have to know of a stored file, and nothing they cannot draw. */
export function isStoredFile(value: unknown): value is StoredFile {
  const { id, path, name, size, content_type, shown_name, relative_path } = (value ?? {}) as StoredFile;
  const texts: unknown[] = [id, path, name, content_type ?? '', shown_name ?? '', relative_path ?? ''];
  return texts.every((text) => typeof text === 'string') && Number.isFinite(size) && size >= 0;
}

/** The uploads of a stored state; what is not ours (an older version's, another element's) is left out. */
export function decodeState(state: unknown): StoredFile[] {
  if (typeof state !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(state);
    return Array.isArray(parsed) ? parsed.filter(isStoredFile) : [];
  } catch {
    return [];
  }
}
