import { hashSample } from '../../protocol/checksums/content-sample.js';
import { S3Error } from '../errors.js';
import type { SourceFile, SourceReader } from '../types.js';

/** Gecko alone reads whatever lies on the disk now, without a word that it is not what was chosen. */
const isGecko = /Gecko\//.test(globalThis.navigator?.userAgent ?? '');

/** An id of each chosen file, which no other choice of it has. */
const choices = new WeakMap<File, string>();

function choiceOf(file: File): string {
  const id = choices.get(file) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  choices.set(file, id);
  return id;
}

class BlobReader implements SourceReader {
  readonly unwatched = isGecko;

  constructor(
    private readonly file: File,
    readonly size: number,
    readonly mtimeNs: bigint,
  ) {}

  async read(position: number, into: Uint8Array): Promise<number> {
    const { file, size } = this;
    // The page waits for the browser's word on every Blob that is made: a file that is read whole needs none.
    const piece = position === 0 && into.length === size ? file : file.slice(position, position + into.length);
    const bytes = new Uint8Array(await piece.arrayBuffer().catch(unreadable));
    // Gecko gives a file that has grown as long as it is now.
    if (bytes.length > into.length) throw isAnother();
    into.set(bytes);
    return bytes.length;
  }

  blob(position: number, size: number): Blob {
    return this.file.slice(position, position + size);
  }

  /** Browsers other than Gecko fail the reading itself when the file on disk is no longer what was chosen. */
  changed(): boolean {
    return false;
  }

  /**
   * A page learns nothing of a file's identity, and two files may have one name, size and date. When a file is chosen again, parts that an
   * earlier page sent are therefore compared with it before they are used.
   */
  get version(): string {
    return choiceOf(this.file);
  }

  close(): void {}
}

const isAnother = (cause?: unknown): S3Error => new S3Error('FileChanged', 'The file changed since it was chosen.', { cause });

/** Chromium reports a changed file as `NotReadableError`. Other browsers report changed and missing files alike. */
function unreadable(cause: unknown): never {
  const changed = (cause as DOMException).name === 'NotReadableError';
  throw changed
    ? isAnother(cause)
    : new S3Error('SourceUnreadable', 'The file is gone, or is not the one that was chosen.', { cause });
}

/** Files as a person chose them: one by one, or a folder with the paths inside it. */
export function* fileSources(files: Iterable<File>): Generator<SourceFile> {
  for (const file of files) yield sourceOf(file, placeOf(file));
}

/** Chromium writes a slash for each backslash of the name. */
const placeOf = ({ webkitRelativePath: path, name }: File): string =>
  path?.endsWith(name.replaceAll('\\', '/')) ? path.slice(0, -name.length) + name : path || name;

/** One chosen file under a path of the caller's, as it is now: WebKit looks at the disk anew each time it is asked of size and date. */
export function sourceOf(file: File, path: string): SourceFile {
  const { size } = file;
  const mtimeNs = BigInt(file.lastModified) * 1_000_000n;
  return {
    path,
    size,
    mtimeNs,
    open: () => new BlobReader(file, size, mtimeNs),
    async sample() {
      const digest = await hashSample(file, size).catch(unreadable);
      if (digest === undefined) throw isAnother();
      return digest;
    },
  };
}

/** A `DataTransfer`, as far as it is needed: programs that know no browser have no such type. */
interface Dropped {
  items: ArrayLike<{ webkitGetAsEntry(): unknown }>;
}

/**
 * Yields dropped files. Folders are read when they are reached, so that ten thousand files are never listed at once. Unreadable
 * entries carry a `problem`.
 */
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
