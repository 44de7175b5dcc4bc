import { hashSample } from '../../protocol/checksums/content-sample.js';
import { relativePathOf } from '../../protocol/relative-path.js';
import { S3Error } from '../errors.js';
import type { SourceFile, SourceReader } from '../types.js';

/** Gecko reads a file that changed after it was chosen, and reports no error. */
const isGecko = /Gecko\//.test(globalThis.navigator?.userAgent ?? '');

/** Ids of chosen files. A file that is chosen again has another id. */
const choiceIds = new WeakMap<File, string>();

function choiceIdOf(file: File): string {
  const id = choiceIds.get(file) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  choiceIds.set(file, id);
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
    // Each new Blob costs a round trip to the browser process, so a complete file is read without one.
    const piece = position === 0 && into.length === size ? file : file.slice(position, position + into.length);
    const bytes = new Uint8Array(await piece.arrayBuffer().catch(unreadable));
    // Gecko returns all bytes of a file that has grown.
    if (bytes.length > into.length) throw fileChanged();
    into.set(bytes);
    return bytes.length;
  }

  blob(position: number, size: number): Blob {
    return this.file.slice(position, position + size);
  }

  /** Other browsers than Gecko fail to read a file that changed after it was chosen. */
  changed(): boolean {
    return false;
  }

  /**
   * Browsers do not reveal the identity of a file, and two files may have the same name, size and date. If a file is chosen again,
   * the parts that an earlier page sent are therefore compared with it before they are used.
   */
  get version(): string {
    return choiceIdOf(this.file);
  }

  close(): void {}
}

const fileChanged = (cause?: unknown): S3Error => new S3Error('FileChanged', 'The file changed since it was chosen.', { cause });

/** Chromium reports a changed file as `NotReadableError`. Other browsers report changed and missing files alike. */
function unreadable(cause: unknown): never {
  if ((cause as DOMException).name === 'NotReadableError') throw fileChanged(cause);
  throw new S3Error('SourceUnreadable', 'The file was moved, deleted or changed since it was chosen.', {
    cause,
  });
}

/**
 * Yields chosen files. Files of a chosen folder have their paths in it.
 * @example
 * await transfer.upload(fileSources(input.files), { bucket: 'archive', prefix: 'inbox/' });
 */
export function* fileSources(files: Iterable<File>): Generator<SourceFile> {
  for (const file of files) yield sourceOf(file, relativePathOf(file) || file.name);
}

/** Returns a chosen file as a source. */
export function sourceOf(file: File, path: string): SourceFile {
  // WebKit reads size and date from the disk at each access, so they are read once.
  const { size } = file;
  const mtimeNs = BigInt(file.lastModified) * 1_000_000n;
  return {
    path,
    size,
    mtimeNs,
    open: () => new BlobReader(file, size, mtimeNs),
    async sample() {
      const digest = await hashSample(file, size).catch(unreadable);
      if (digest === undefined) throw fileChanged();
      return digest;
    },
  };
}

/** The used part of `DataTransfer`, which programs without DOM types lack. */
interface Dropped {
  items: ArrayLike<{ webkitGetAsEntry(): unknown }>;
}

/**
 * Yields dropped files. Folders are read when they are reached, so that a large folder is never listed at once. Unreadable entries
 * have a `problem`.
 */
export function dropSources(data: Dropped): AsyncGenerator<SourceFile> {
  // The browser empties the list after the event.
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
        let isEmpty = true;
        for (let batch = await readBatch(reader); batch.length > 0; batch = await readBatch(reader)) {
          isEmpty = false;
          yield* walkEntries(batch);
        }
        if (isEmpty) yield { path, size: 0, directory: true };
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

/** Reads the next entries. Chromium returns 100 at a time. */
const readBatch = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });
