import type { PickedFile } from './picked-file.js';

/** What was dropped. The browser forgets the transfer after the event, so the entries are taken at once. */
export function readDataTransfer(transfer: DataTransfer): { files: PickedFile[]; folders: FileSystemEntry[] } {
  const files: PickedFile[] = [];
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
  return { files, folders };
}
