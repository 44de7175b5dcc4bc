import { validationError } from '../../../src/protocol/errors.js';
import { LIST } from '../../../src/protocol/limits.js';
import type { BlobStorage, StoredFile } from '../storage/blob-storage.js';
import type { Share } from '../sharing/shares.js';
import { fromCursor, toCursor } from './cursor.js';

/** Orders of a folder. A minus reverses one. */
export type FolderSort = 'name' | '-name' | 'size' | '-size' | 'date' | '-date';

export interface SharedFolderRequest {
  storage: Share['storage'];
  /** The path with a final slash. */
  folder: string;
  sort: FolderSort;
  cursor: string | undefined;
}

export interface SharedFolderPage {
  /** Names of folders. Except in the order of names, all folders precede the files. */
  folders: string[];
  files: StoredFile[];
  cursor: string | null;
  /** The order. It is that of names if the folder has too many files for another one. */
  sort: FolderSort;
}

/** A position in a folder that is not in the order of names: after a folder, or after a file. Names are relative to the folder. */
type Position = ['folder', string] | ['file', string, number | null];

/** Lists one page of a shared folder. Positions contain no name from outside the folder, because visitors can read them. */
export async function listSharedFolder(blobs: BlobStorage, request: SharedFolderRequest): Promise<SharedFolderPage> {
  return request.sort === 'name' ? pageByName(blobs, request) : pageInOrder(blobs, request);
}

async function pageByName(blobs: BlobStorage, { storage, folder, cursor }: SharedFolderRequest): Promise<SharedFolderPage> {
  const { files, prefixes, next } = await blobs.list(storage, {
    prefix: folder,
    delimiter: '/',
    limit: LIST.limit.max,
    ...(cursor !== undefined && { after: folder + fromCursor(cursor) }),
  });
  return {
    folders: prefixes.map((prefix) => prefix.slice(folder.length, -1)),
    files: files.filter(({ key }) => key !== folder),
    cursor: next === null ? null : toCursor(next.slice(folder.length)),
    sort: 'name',
  };
}

async function pageInOrder(blobs: BlobStorage, request: SharedFolderRequest): Promise<SharedFolderPage> {
  const { storage, folder, sort, cursor } = request;
  const [kind, name, value] = cursor === undefined ? (['folder', ''] as const) : parsePosition(cursor);
  const isReversed = sort.startsWith('-');
  const page = (folders: string[], files: StoredFile[], next: Position | null): SharedFolderPage => {
    const cursorOfNext = next === null ? null : toCursor(JSON.stringify(next));
    return { folders, files, cursor: cursorOfNext, sort };
  };

  let folders: string[] = [];
  if (kind === 'folder') {
    const { prefixes, next } = await blobs.search.folders(storage, {
      prefix: folder,
      order: sort === '-name' ? 'desc' : 'asc',
      limit: LIST.limit.max,
      ...(name !== '' && { after: folder + name }),
    });
    folders = prefixes.map((prefix) => prefix.slice(folder.length, -1));
    if (next !== null) return page(folders, [], ['folder', next.slice(folder.length)]);
  }

  const options = {
    filter: { prefix: folder, direct: true },
    order: isReversed ? 'desc' : 'asc',
    limit: LIST.limit.max,
  } as const;
  const after = kind === 'file' ? { key: folder + name, ...(value !== null && { value }) } : undefined;
  const found =
    sort === '-name'
      ? await blobs.search.files(storage, { ...options, sort: 'key', after })
      : await blobs.search.sortFolder(storage, { ...options, sort: sort.endsWith('size') ? 'size' : 'updated_at', after });
  if (!found) return pageByName(blobs, { ...request, cursor: undefined });
  const { files, next } = found;
  return page(folders, files, next && ['file', next.key.slice(folder.length), next.value ?? null]);
}

/** @throws `VALIDATION_ERROR` */
function parsePosition(cursor: string): Position {
  const [kind, name, value, ...rest] = parseList(fromCursor(cursor));
  const isValue = value === null || Number.isSafeInteger(value);
  if (typeof name === 'string' && !name.includes('\0') && rest.length === 0) {
    if (kind === 'folder' && value === undefined) return [kind, name];
    if (kind === 'file' && isValue) return [kind, name, value as number | null];
  }
  throw invalidCursor();
}

const invalidCursor = () => validationError('cursor', 'must be the cursor of an earlier response with the same sort');

function parseList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // The text is no JSON.
  }
  throw invalidCursor();
}
