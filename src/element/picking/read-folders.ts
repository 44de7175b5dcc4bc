import type { Chosen } from '../../queue/types.js';
import { BlobError } from '../../protocol/errors.js';

/** `readEntries` returns at most 100 entries at a time, so it is called until it returns none. */
async function* readBatches(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry[]> {
  const reader = folder.createReader();
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return;
    yield batch;
  }
}

const toFile = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

const pathOf = ({ fullPath }: FileSystemEntry): string => fullPath.replace(/^\//, '');

/** Returns a failed entry that the person can retry. A folder without the entry would look complete. */
const unreadableEntry = (entry: FileSystemEntry, cause: unknown): Chosen => ({
  file: new File([], entry.name),
  relativePath: pathOf(entry),
  folder: entry,
  preparationError: new BlobError('FILE_UNREADABLE', (cause as Error).message, { cause }),
});

async function readFileEntry(entry: FileSystemFileEntry): Promise<Chosen> {
  try {
    const relativePath = pathOf(entry);
    return { file: await toFile(entry), relativePath: relativePath.includes('/') ? relativePath : '' };
  } catch (cause) {
    return unreadableEntry(entry, cause);
  }
}

/** Yields every file below an entry with its path from the dropped folder on. Unreadable entries are yielded as failed. */
async function* walkEntry(entry: FileSystemEntry, signal: AbortSignal, withEmpty: boolean): AsyncGenerator<Chosen> {
  if (entry.isFile) return yield readFileEntry(entry as FileSystemFileEntry);
  let isEmpty = true;
  try {
    for await (const batch of readBatches(entry as FileSystemDirectoryEntry)) {
      if (signal.aborted) return;
      isEmpty = false;
      // Each file takes a round trip to the file system, so all files of a batch are read at the same time.
      const files = batch.map((child) => (child.isFile ? readFileEntry(child as FileSystemFileEntry) : undefined));
      for (const [index, child] of batch.entries()) {
        const file = files[index];
        if (file === undefined) yield* walkEntry(child, signal, withEmpty);
        else yield file;
      }
    }
    if (isEmpty && withEmpty) yield { file: new File([], entry.name, { lastModified: 0 }), relativePath: `${pathOf(entry)}/` };
  } catch (cause) {
    // A folder without permission, or deleted meanwhile, must not prevent the upload of the others.
    yield unreadableEntry(entry, cause);
  }
}

/**
 * Finds every file below the dropped folders.
 *
 * @param withEmpty includes empty folders, as files of 0 bytes whose path ends in a slash
 */
export async function readFolders(
  folders: readonly FileSystemEntry[],
  signal: AbortSignal,
  withEmpty: boolean,
): Promise<Chosen[]> {
  const found: Chosen[] = [];
  for (const folder of folders) for await (const file of walkEntry(folder, signal, withEmpty)) found.push(file);
  return found;
}
