import type { Chosen } from '../../queue/types.js';
import { BlobError } from '../../protocol/errors.js';

/** `readEntries` gives at most 100 at a time: it is asked until it gives none. */
async function* readBatches(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry[]> {
  const reader = folder.createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield some;
  }
}

const toFile = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

const pathOf = ({ fullPath }: FileSystemEntry): string => fullPath.replace(/^\//, '');

/** A row that says so, and that another look may mend: a folder that arrives without it would pass for whole. */
const unreadableEntry = (entry: FileSystemEntry, cause: unknown): Chosen => ({
  file: new File([], entry.name),
  relativePath: pathOf(entry),
  folder: entry,
  unready: new BlobError('FILE_UNREADABLE', (cause as Error).message, { cause }),
});

async function readFileEntry(entry: FileSystemFileEntry): Promise<Chosen> {
  try {
    const relativePath = pathOf(entry);
    return { file: await toFile(entry), relativePath: relativePath.includes('/') ? relativePath : '' };
  } catch (cause) {
    return unreadableEntry(entry, cause);
  }
}

/** Every file below an entry, with its path from the dropped folder on, and what cannot be read. */
async function* walkEntry(entry: FileSystemEntry, signal: AbortSignal, withEmpty: boolean): AsyncGenerator<Chosen> {
  if (entry.isFile) return yield readFileEntry(entry as FileSystemFileEntry);
  let isEmpty = true;
  try {
    for await (const some of readBatches(entry as FileSystemDirectoryEntry)) {
      if (signal.aborted) return;
      isEmpty = false;
      // The browser looks after each file by itself: a hundred are asked for at once.
      const files = some.map((one) => (one.isFile ? readFileEntry(one as FileSystemFileEntry) : undefined));
      for (const [at, one] of some.entries()) {
        const file = files[at];
        if (file === undefined) yield* walkEntry(one, signal, withEmpty);
        else yield file;
      }
    }
    if (isEmpty && withEmpty) yield { file: new File([], entry.name, { lastModified: 0 }), relativePath: `${pathOf(entry)}/` };
  } catch (cause) {
    // A folder without permission, or deleted while we walk, must not keep the others out.
    yield unreadableEntry(entry, cause);
  }
}

/** Every file below the folders that were dropped. @param withEmpty empty folders as well, as files of 0 bytes whose path ends in a slash */
export async function readFolders(
  folders: readonly FileSystemEntry[],
  signal: AbortSignal,
  withEmpty: boolean,
): Promise<Chosen[]> {
  const found: Chosen[] = [];
  for (const folder of folders) for await (const file of walkEntry(folder, signal, withEmpty)) found.push(file);
  return found;
}
