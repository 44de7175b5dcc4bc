import type { FileRecord, StoredFile } from '../../protocol/types.js';
import type { UploadItem } from '../../queue/types.js';

type StoredItem = UploadItem & { readonly state: { readonly status: 'done'; readonly file: FileRecord } };

/** Returns whether a file belongs to the form value: it is stored, and is not being deleted. */
export const isInForm = (item: UploadItem): item is StoredItem => item.state.status === 'done' && item.deletion !== 'running';

/** Returns one entry per stored file, as `<input type=file multiple>` sends one per file; null if there is nothing to send. */
export function toFormValue(name: string, records: readonly FileRecord[]): FormData | null {
  if (name === '' || records.length === 0) return null;
  const data = new FormData();
  for (const record of records) data.append(name, record.path);
  return data;
}

/** Encodes the state that the browser hands back after Back or reload: the stored files, never a token. */
export const encodeState = (files: readonly StoredFile[]): string => JSON.stringify(files);

/** Checks the fields of a stored file that the list and the form use. */
export function isStoredFile(value: unknown): value is StoredFile {
  const { id, path, name, size, content_type, shown_name, relative_path } = (value ?? {}) as StoredFile;
  const texts: unknown[] = [id, path, name, content_type ?? '', shown_name ?? '', relative_path ?? ''];
  return texts.every((text) => typeof text === 'string') && Number.isFinite(size) && size >= 0;
}

/** Decodes a saved state. Skips entries of an older version or of another element. */
export function decodeState(state: unknown): StoredFile[] {
  if (typeof state !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(state);
    return Array.isArray(parsed) ? parsed.filter(isStoredFile) : [];
  } catch {
    return [];
  }
}
