import { accessSync, createReadStream, lstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isAbsolute, join, relative, sep } from 'node:path';
import { S3Error, toS3Error } from '../../../src/bulk/errors.js';
import { hash64 } from '../../../src/bulk/journal/hash64.js';
import { keyProblem } from '../../../src/bulk/s3/object-keys.js';
import { Fingerprints } from '../../../src/bulk/node/sorting/fingerprints.js';
import { SortedNames } from '../../../src/bulk/node/sorting/sorted-names.js';
import { fileSource, skippedLink } from '../../../src/bulk/node/files/walk.js';
import type { WalkOptions } from '../../../src/bulk/node/files/walk.js';
import type { KnownNames } from '../../../src/bulk/list/key-list.js';
import type { SourceFile } from '../../../src/bulk/types.js';
import type { ListFlags } from './flags.js';
import { isDirectory } from './locations.js';
import type { Session } from './session.js';
import { openStandardInput } from './standard-input.js';

/** The list of `--files-from`. The file `-` is standard input. */
interface NameList {
  file: string;
  /** Stops reading. */
  signal: AbortSignal | undefined;
  /** True if names end in a zero byte instead of a line break. */
  endsInZero: boolean;
}

export const nameListFrom = (flags: ListFlags, run: { signal?: AbortSignal }): NameList | undefined =>
  flags.filesFrom === undefined ? undefined : { file: flags.filesFrom, signal: run.signal, endsInZero: flags.null === true };

/** Creates a set of names in bounded memory. `hash64` states how rarely two names collide. */
export function createHashedNames({ closeAtEnd }: Session): KnownNames {
  const fingerprints = closeAtEnd(new Fingerprints());
  return { add: (name) => fingerprints.add(hash64(name)) };
}

/** Returns the path of an entry below a directory. Entries are absolute or relative to the working directory. */
function pathOfEntry(line: string, root: string): string {
  const path = isAbsolute(line) ? relative(root, line) : relative('.', line);
  return path.split(sep).join('/');
}

const outsideError = (line: string, root: string): S3Error =>
  new S3Error('NameUnsafe', `${line} is not below ${root}.`, {
    advice: 'Remove it from the list, or use a source that contains it.',
  });
const isOutside = (path: string): boolean => path.split('/').includes('..');

/** Options for finding the files of a list. */
type FindOptions = Pick<WalkOptions, 'symlinks' | 'skippedLinks' | 'passedOver'>;

/** Yields the files of a list below a directory. */
export async function* findListedFiles(
  list: NameList,
  root: string,
  looking: FindOptions,
  wanted: (path: string) => boolean,
): AsyncGenerator<SourceFile> {
  const fileAt = makeFileFinder(root, looking);
  for await (const line of readNames(list, () => true)) {
    const key = pathOfEntry(line, root);
    if (!wanted(key)) continue;
    try {
      if (isOutside(key)) throw outsideError(line, root);
      const found = fileAt(key);
      if (found === undefined) continue;
      // A list may repeat a name.
      const { unique: _, ...file } = found;
      yield file;
    } catch (error) {
      yield { path: key, size: 0, problem: toS3Error(error) };
    }
  }
}

/**
 * Reads the names of a list, sorts them in the order of keys and removes duplicates.
 * @param problemOf returns the reason why a key cannot be transferred
 * @throws S3Error `NameUnsafe`
 */
export async function readSortedNames(
  { closeAtEnd }: Session,
  list: NameList,
  root: string | undefined,
  wanted: (path: string) => boolean,
  problemOf: (path: string) => string | undefined = keyProblem,
): Promise<() => Iterable<string>> {
  const names = closeAtEnd(new SortedNames());
  for await (const line of readNames(list, () => true)) {
    const path = root === undefined ? line : pathOfEntry(line, root);
    if (isOutside(path)) throw outsideError(line, root ?? 'the prefix');
    if (!wanted(path)) continue;
    const problem = root === undefined ? problemOf(path) : undefined;
    if (problem !== undefined)
      throw new S3Error('NameUnsafe', `${line} in the list: ${problem}.`, { advice: 'Remove it from the list.' });
    names.add(path);
  }
  return () => withoutDuplicates(names);
}

function* withoutDuplicates(sorted: Iterable<string>): Generator<string> {
  let last: string | undefined;
  for (const name of sorted) if (name !== last) yield (last = name);
}

/** Yields the files that exist. If the directory itself is missing, it yields a problem, because nothing is known about its files. */
export function* findExistingFiles(paths: Iterable<string>, root: string, looking: FindOptions): Generator<SourceFile> {
  try {
    accessSync(join(root, '/'));
  } catch (error) {
    yield { path: root, size: 0, unique: true, problem: toS3Error(error) };
    return;
  }
  const fileAt = makeFileFinder(root, looking);
  for (const path of paths)
    try {
      const file = fileAt(path);
      if (file !== undefined) yield file;
    } catch (error) {
      const problem = toS3Error(error);
      // ENOTDIR: a file has replaced the directory. A link may point to a disk that is not mounted, so its target may still exist.
      const isGone = ['ENOENT', 'ENOTDIR'].includes((problem.cause as NodeJS.ErrnoException | undefined)?.code ?? '');
      if (isGone && !leadsThroughLink(root, path)) continue;
      yield { path, size: 0, unique: true, problem };
    }
}

/**
 * Returns a function that finds files as `walk` does. It returns undefined for skipped links and for directories, which `find` lists
 * beside their files. It checks each directory for links once.
 */
function makeFileFinder(
  root: string,
  { symlinks, skippedLinks, passedOver }: FindOptions,
): (path: string) => SourceFile | undefined {
  let folder = '';
  let linked = false;
  return (path) => {
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (above !== folder) linked = above !== '' && leadsThroughLink(root, above);
    folder = above;
    const full = join(root, path);
    if (symlinks === 'skip' && (linked || isLink(full))) return skippedLinks ? skippedLink(path) : undefined;
    try {
      const file = fileSource(full, path);
      return linked ? { ...file, linked } : file;
    } catch (error) {
      if (!isDirectory(full)) throw error;
      passedOver?.(path);
      return undefined;
    }
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // The path does not exist.
    return false;
  }
}

function leadsThroughLink(root: string, folder: string): boolean {
  let path = root;
  return folder.split('/').some((segment) => isLink((path = join(path, segment))));
}

/** Opens the list. A named pipe, as from `<(find …)`, ends with the run as well. @throws S3Error `SourceUnreadable` */
const openList = ({ file, signal }: NameList): Readable =>
  file === '-'
    ? openStandardInput(signal)
    : ((fileSource(file, file, true).stream?.(signal) as Readable) ?? createReadStream(file));

/** Removes the segments `.` that `find .` writes. The name `.` alone becomes empty. */
const normalizeName = (name: string): string =>
  name
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/(?:\.\/+)+/g, '/')
    .replace(/^\.$/, '');

/**
 * Yields the wanted names of a list. Empty lines are ignored.
 * @param nameOf returns the name of a line; by default it removes `./`
 * @throws S3Error `InvalidOption`
 */
export async function* readNames(
  list: NameList,
  wanted: (name: string) => boolean,
  nameOf: (line: string) => string = normalizeName,
): AsyncGenerator<string> {
  const input = openList(list);
  const end = list.endsInZero ? '\0' : '\n';
  let [rest, isFirst] = ['', true];
  for await (const text of input.setEncoding('utf8') as AsyncIterable<string>) {
    // Checked before any line is used: line breaks would cut names that end in zero bytes.
    if (!list.endsInZero && text.includes('\0'))
      throw new S3Error('InvalidOption', 'Names in the list end in a zero byte, as from find -print0. Add -0.');
    // Windows begins text files with a byte order mark.
    const lines = (rest + (isFirst ? text.replace(/^\uFEFF/, '') : text)).split(end);
    isFirst = false;
    rest = lines.pop()!;
    yield* namesIn(lines);
  }
  yield* namesIn([rest]);

  function* namesIn(lines: string[]): Generator<string> {
    for (const line of lines) {
      const name = nameOf(list.endsInZero ? line : line.replace(/\r$/, ''));
      if (name !== '' && wanted(name)) yield name;
    }
  }
}
