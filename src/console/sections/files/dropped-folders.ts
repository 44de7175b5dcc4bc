import { toSafeFileName } from '../../../protocol/file-names.js';
import type { Api } from '../../api/api.js';

/** The content of dropped folders. */
export interface DroppedFolders {
  /** Files with their paths, such as `photos/2026/a.jpg`. */
  files: { file: File; path: string }[];
  /** Paths of folders without any entry, such as `photos/empty`. */
  emptyFolders: string[];
}

/** Reads dropped folders. @param withFiles whether files are read, too */
export async function readDroppedFolders(entries: readonly FileSystemEntry[], withFiles: boolean): Promise<DroppedFolders> {
  const found: DroppedFolders = { files: [], emptyFolders: [] };
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    const path = entry.fullPath.replace(/^\//, '');
    if (entry.isDirectory) {
      const children = await readAll(entry as FileSystemDirectoryEntry);
      if (children.length === 0) found.emptyFolders.push(path);
      for (const child of children) await walk(child);
    } else if (withFiles)
      found.files.push({
        file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
        path,
      });
  };
  for (const entry of entries) await walk(entry);
  return found;
}

/** Reads a folder. The browser returns at most 100 entries at a time. */
async function readAll(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}

/** Creates folders below a folder, with safe names like those of uploaded files. */
export async function createFolders(storage: Api, prefix: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const safe = path
      .split('/')
      .map((name) => toSafeFileName(name))
      .join('/');
    await storage.post('/v1/folders', { body: { path: prefix + safe }, signal: AbortSignal.timeout(30_000) });
  }
}
