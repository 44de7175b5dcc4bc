import type { Dirent } from 'node:fs';
import { SortedNames } from './sorted-names.js';

/** What is asked of an entry of a directory. */
export type Entry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/**
 * The entries of a directory in the order in which stores list what is below it: a directory stands where its name with a slash
 * stands, `a.txt` before `a/b`. The order keeps names alone. What a name is of stands behind it, in characters that no name has and
 * that change nothing in the order.
 * @throws what the reading throws, and S3Error `ScratchUnwritable`; at once, not with the first entry.
 */
export function sortedEntries(entries: Iterable<Dirent>, isFolder: (name: string) => boolean): Generator<Entry> {
  const names = new SortedNames();
  try {
    for (const entry of entries) {
      const { name } = entry;
      if (entry.isFile()) names.add(name);
      else if (entry.isDirectory()) names.add(name + FOLDER);
      else if (entry.isSymbolicLink()) names.add(name + (isFolder(name) ? FOLDER_LINK : LINK));
      else names.add(name + OTHER);
    }
  } catch (error) {
    names.close();
    throw error;
  }
  return entriesNamed(names);
}

const FOLDER = '/';
const FOLDER_LINK = '//';
const LINK = '\0';
const OTHER = '\0\0';

function* entriesNamed(names: SortedNames): Generator<Entry> {
  try {
    for (const name of names) yield new NamedEntry(name);
  } finally {
    names.close();
  }
}

class NamedEntry implements Entry {
  readonly name: string;
  readonly #kind: string;

  constructor(marked: string) {
    let end = marked.length;
    while (marked.charCodeAt(end - 1) === 0 || marked.charCodeAt(end - 1) === 0x2f) end--;
    this.name = marked.slice(0, end);
    this.#kind = marked.slice(end);
  }

  isFile(): boolean {
    return this.#kind === '';
  }

  isDirectory(): boolean {
    return this.#kind === FOLDER;
  }

  isSymbolicLink(): boolean {
    return this.#kind === LINK || this.#kind === FOLDER_LINK;
  }
}
