import type { Picked } from './picked.js';

/** `readEntries` gives at most 100 at a time: it is asked until it gives none. */
async function* children(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry> {
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield* some;
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

/** Every file below an entry, with its path from the dropped folder on. What cannot be read is left out. */
async function* walk(entry: FileSystemEntry, signal: AbortSignal): AsyncGenerator<Picked> {
  if (signal.aborted) return;
  try {
    if (entry.isFile) {
      const relativePath = entry.fullPath.replace(/^\//, '');
      const file = await fileOf(entry as FileSystemFileEntry);
      yield { file, relativePath: relativePath.includes('/') ? relativePath : '' };
    } else {
      for await (const child of children(entry as FileSystemDirectoryEntry)) yield* walk(child, signal);
    }
  } catch {
    // A file without permission, or deleted while we walk, must not keep the others out.
  }
}

/** Every file below the folders that were dropped. */
export async function filesIn(folders: readonly FileSystemEntry[], signal: AbortSignal): Promise<Picked[]> {
  const found: Picked[] = [];
  for (const folder of folders) for await (const file of walk(folder, signal)) found.push(file);
  return found;
}
