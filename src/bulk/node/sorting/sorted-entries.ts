import type { Dirent } from 'node:fs';
import { trimEndCharacters } from '../../../protocol/trim.js';
import { SortedNames } from './sorted-names.js';

/** The members of a directory entry that a walk uses. */
export type Entry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/**
 * Returns the entries of a directory in the order in which stores list the keys below it. A directory sorts by its name with a slash, so
 * `a.txt` comes before `a/b`. `SortedNames` stores names only, so the kind of an entry is appended to its name, in characters that names
 * cannot contain and that do not change the order.
 * @param isFolder tells whether a link leads to a directory
 * @throws S3Error `ScratchUnwritable`, and errors of the directory; both before the first entry is yielded
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

/** Suffixes for the kinds of entries. A file has none. */
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

  constructor(nameAndKind: string) {
    this.name = trimEndCharacters(nameAndKind, '/\0');
    this.#kind = nameAndKind.slice(this.name.length);
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
