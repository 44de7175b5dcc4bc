import { createReadStream } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { S3Error } from '../../../src/bulk/errors.js';
import { hash64 } from '../../../src/bulk/journal/hash64.js';
import type { KnownNames } from '../../../src/bulk/list/key-list.js';
import { fileSource } from '../../../src/bulk/node/files/file-source.js';
import { FingerprintSet } from '../../../src/bulk/node/sorting/fingerprint-set.js';
import { SortedNames } from '../../../src/bulk/node/sorting/sorted-names.js';
import { keyProblem } from '../../../src/bulk/s3/object-keys.js';
import type { ListFlags } from './flags.js';
import type { Session } from './session.js';
import { openStandardInput } from './standard-input.js';

/** The list of `--files-from`. */
export interface NameList {
  /** The file `-` is standard input. */
  file: string;
  /** Stops reading. */
  signal: AbortSignal | undefined;
  /** True if names end in a zero byte instead of a line break. */
  endsInZero: boolean;
}

export const nameListFrom = (flags: ListFlags, { signal }: { signal?: AbortSignal }): NameList | undefined =>
  flags.filesFrom === undefined ? undefined : { file: flags.filesFrom, signal, endsInZero: flags.null === true };

/** Creates a set of names in bounded memory. `hash64` states how rarely two names collide. */
export function createHashedNames({ closeAtEnd }: Session): KnownNames {
  const fingerprints = closeAtEnd(new FingerprintSet());
  return { add: (name) => fingerprints.add(hash64(name)) };
}

/** Returns the path of a local entry below the directory `root`. Entries are absolute or relative to the working directory. */
export function pathBelow(root: string, entry: string): string {
  const path = isAbsolute(entry) ? relative(root, entry) : relative('.', entry);
  return path.split(sep).join('/');
}

/** Rejects an entry that is not below its root. @param path the entry relative to the root @throws S3Error `NameUnsafe` */
export function rejectOutside(path: string, entry: string, root: string): void {
  if (path.split('/').includes('..'))
    throw new S3Error('NameUnsafe', `${entry} is not below ${root}.`, {
      advice: 'Remove it from the list, or use a source that contains it.',
    });
}

export interface SortedNamesOptions {
  /** The source directory, if the list contains local files. Otherwise, the names are paths below a prefix. */
  root: string | undefined;
  /** Selects the names to return. */
  matches: (path: string) => boolean;
  /** Returns the reason why a name below a prefix cannot be transferred. @default keyProblem */
  problemOf?: (path: string) => string | undefined;
}

/**
 * Reads the names of a list, sorts them in the order of keys and removes duplicates.
 * @returns a function that lists the names from the beginning
 * @throws S3Error `NameUnsafe`
 */
export async function readSortedNames(
  { closeAtEnd }: Session,
  list: NameList,
  { root, matches, problemOf = keyProblem }: SortedNamesOptions,
): Promise<() => Iterable<string>> {
  const names = closeAtEnd(new SortedNames());
  for await (const entry of readNames(list, () => true)) {
    const path = root === undefined ? entry : pathBelow(root, entry);
    rejectOutside(path, entry, root ?? 'the prefix');
    if (!matches(path)) continue;
    const problem = root === undefined ? problemOf(path) : undefined;
    if (problem !== undefined)
      throw new S3Error('NameUnsafe', `${entry} in the list: ${problem}.`, { advice: 'Remove it from the list.' });
    names.add(path);
  }
  return () => withoutDuplicates(names);
}

function* withoutDuplicates(sortedNames: Iterable<string>): Generator<string> {
  let previous: string | undefined;
  for (const name of sortedNames) {
    if (name !== previous) yield name;
    previous = name;
  }
}

/** Opens the list. Reading ends with the run, also from a named pipe such as `<(find …)`. @throws S3Error `SourceUnreadable` */
function openList({ file, signal }: NameList): Readable {
  if (file === '-') return openStandardInput(signal);
  const pipe = fileSource(file, file, true).stream?.(signal) as Readable | undefined;
  return pipe ?? createReadStream(file);
}

/** Removes the segments `.` that `find .` writes. The name `.` alone becomes empty. */
const normalizeName = (name: string): string =>
  name
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/(?:\.\/+)+/g, '/')
    .replace(/^\.$/, '');

/**
 * Yields the names of a list that match. Empty lines are ignored.
 * @param nameOf returns the name of a line @default removes `./`
 * @throws S3Error `InvalidOption` if names end in a zero byte, but `endsInZero` is false
 */
export async function* readNames(
  list: NameList,
  matches: (name: string) => boolean,
  nameOf: (line: string) => string = normalizeName,
): AsyncGenerator<string> {
  const terminator = list.endsInZero ? '\0' : '\n';
  let [incompleteLine, isFirst] = ['', true];
  for await (const chunk of openList(list).setEncoding('utf8') as AsyncIterable<string>) {
    // Checked before a line is used, because a name that ends in a zero byte may contain line breaks.
    if (!list.endsInZero && chunk.includes('\0'))
      throw new S3Error('InvalidOption', 'Names in the list end in a zero byte, as from find -print0. Add -0.');
    // Windows begins text files with a byte order mark.
    const text = isFirst ? chunk.replace(/^\uFEFF/, '') : chunk;
    isFirst = false;
    const lines = (incompleteLine + text).split(terminator);
    incompleteLine = lines.pop()!;
    yield* namesIn(lines);
  }
  yield* namesIn([incompleteLine]);

  function* namesIn(lines: string[]): Generator<string> {
    for (const line of lines) {
      const name = nameOf(list.endsInZero ? line : line.replace(/\r$/, ''));
      if (name !== '' && matches(name)) yield name;
    }
  }
}

/** Returns the options of a download or copy that takes the names of `--files-from`. @param matches selects the names */
export function listedPaths(flags: ListFlags, session: Session, matches: (path: string) => boolean) {
  const list = nameListFrom(flags, session.runOptions);
  return list === undefined ? {} : { paths: readNames(list, matches), known: createHashedNames(session) };
}
