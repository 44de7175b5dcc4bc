import type { PickedFile } from './picked-file.js';

/** Reads the dropped files and folders. Must run during the event, because the browser clears the transfer afterwards. */
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
  // Some sources fill only `files`.
  if (files.length === 0 && folders.length === 0) for (const file of transfer.files) files.push({ file, relativePath: '' });
  return { files, folders };
}
