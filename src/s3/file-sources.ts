import { S3Error } from './errors.js';
import type { SourceFile, SourceReader } from './types.js';

class BlobReader implements SourceReader {
  readonly size: number;
  readonly mtimeNs: bigint;

  constructor(private readonly file: File) {
    this.size = file.size;
    this.mtimeNs = BigInt(file.lastModified) * 1_000_000n;
  }

  async read(position: number, into: Uint8Array): Promise<number> {
    const { file } = this;
    // The page waits for the browser's word on every Blob that is made: a file that is read whole needs none.
    const piece = position === 0 && into.length === file.size ? file : file.slice(position, position + into.length);
    const bytes = new Uint8Array(await piece.arrayBuffer().catch(unreadable));
    into.set(bytes);
    return bytes.length;
  }

  blob(position: number, size: number): Blob {
    return this.file.slice(position, position + size);
  }

  /** A browser fails the reading itself when the file on disk is no longer what was chosen. */
  changed(): boolean {
    return false;
  }

  close(): void {}
}

/** What browsers say of a file that is there, but is not the one that was chosen; anything else is that it is gone. */
function unreadable(cause: unknown): never {
  const changed = (cause as DOMException).name === 'NotReadableError';
  throw changed
    ? new S3Error('FileChanged', 'The file changed since it was chosen.', { cause })
    : new S3Error('SourceUnreadable', 'The file is not there any more.', { cause });
}

/** Files as a person chose them: one by one, or a folder with the paths inside it. */
export function* fileSources(files: Iterable<File>): Generator<SourceFile> {
  for (const file of files) yield sourceOf(file, file.webkitRelativePath || file.name);
}

/** One chosen file under a path of the caller's. */
export const sourceOf = (file: File, path: string): SourceFile => ({
  path,
  size: file.size,
  mtimeNs: BigInt(file.lastModified) * 1_000_000n,
  open: () => new BlobReader(file),
});

/** A `DataTransfer`, as far as it is needed: programs that know no browser have no such type. */
interface Dropped {
  items: ArrayLike<{ webkitGetAsEntry(): unknown }>;
}

/** What was dropped, folders read as they are reached: ten thousand files are never listed at once. What cannot be read is told with its problem. */
export function dropSources(data: Dropped): AsyncGenerator<SourceFile> {
  // The list is emptied when the event is over: the entries have to be taken now.
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry() as FileSystemEntry | null).filter(
    (entry) => entry !== null,
  );
  return walkEntries(entries);
}

async function* walkEntries(entries: FileSystemEntry[]): AsyncGenerator<SourceFile> {
  for (const entry of entries) {
    const path = entry.fullPath.replace(/^\//, '');
    try {
      if (entry.isFile) yield sourceOf(await fileOf(entry as FileSystemFileEntry), path);
      else {
        const reader = (entry as FileSystemDirectoryEntry).createReader();
        let empty = true;
        for (let batch = await next(reader); batch.length > 0; batch = await next(reader)) {
          empty = false;
          yield* walkEntries(batch);
        }
        if (empty) yield { path, size: 0, directory: true };
      }
    } catch (cause) {
      yield { path, size: 0, problem: new S3Error('SourceUnreadable', (cause as Error).message, { cause }) };
    }
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

/** Browsers hand out a hundred entries at a time. */
const next = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });
