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
async function* walk(entry: FileSystemEntry, signal: AbortSignal, withEmpty: boolean): AsyncGenerator<Picked> {
  if (signal.aborted) return;
  const relativePath = entry.fullPath.replace(/^\//, '');
  try {
    if (entry.isFile) {
      const file = await fileOf(entry as FileSystemFileEntry);
      yield { file, relativePath: relativePath.includes('/') ? relativePath : '' };
    } else {
      let isEmpty = true;
      for await (const child of children(entry as FileSystemDirectoryEntry)) {
        isEmpty = false;
        yield* walk(child, signal, withEmpty);
      }
      if (isEmpty && withEmpty) yield { file: new File([], entry.name, { lastModified: 0 }), relativePath: `${relativePath}/` };
    }
  } catch {
    // A file without permission, or deleted while we walk, must not keep the others out.
  }
}

/** Every file below the folders that were dropped. @param withEmpty empty folders as well, as files of 0 bytes whose path ends in a slash */
export async function filesIn(folders: readonly FileSystemEntry[], signal: AbortSignal, withEmpty: boolean): Promise<Picked[]> {
  const found: Picked[] = [];
  for (const folder of folders) for await (const file of walk(folder, signal, withEmpty)) found.push(file);
  return found;
}
