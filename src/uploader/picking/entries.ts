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

/**
 * What was dropped: files at once, folders by walking them. The browser forgets the transfer after the event,
 * so the entries are taken before the first await.
 */
export function fromTransfer(transfer: DataTransfer, signal: AbortSignal): { files: Picked[]; folders: AsyncGenerator<Picked> } {
  const files: Picked[] = [];
  const folders: FileSystemEntry[] = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry?.() ?? null;
    if (entry?.isDirectory) folders.push(entry);
    else {
      const file = item.getAsFile();
      if (file !== null) files.push({ file, relativePath: '' });
    }
  }
  // Some sources fill `files` alone.
  if (files.length === 0 && folders.length === 0) for (const file of transfer.files) files.push({ file, relativePath: '' });
  return { files, folders: walkAll(folders, signal) };
}

async function* walkAll(folders: readonly FileSystemEntry[], signal: AbortSignal): AsyncGenerator<Picked> {
  for (const folder of folders) yield* walk(folder, signal);
}
