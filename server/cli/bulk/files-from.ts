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
import { standardInput } from './standard-input.js';

/** A list of names: `-` is standard input. */
interface NameList {
  file: string;
  /** Ends the reading. */
  signal: AbortSignal | undefined;
  /** Names end in a zero byte, not in a line break. */
  zero: boolean;
}

export const listOf = (flags: ListFlags, run: { signal?: AbortSignal }): NameList | undefined =>
  flags.filesFrom === undefined ? undefined : { file: flags.filesFrom, signal: run.signal, zero: flags.null === true };

/** Remembers what a list has named, in bounded memory; see `hash64` for how rarely it takes two names for one. */
export function knownByHash({ hold }: Session): KnownNames {
  const prints = hold(new Fingerprints());
  return { add: (name) => prints.add(hash64(name)) };
}

/** What a line names below a directory: lines are relative to it, or absolute. */
function pathOf(line: string, root: string): string {
  const path = isAbsolute(line) ? relative(root, line) : relative('.', line);
  return path.split(sep).join('/');
}

const outside = (line: string, root: string): S3Error =>
  new S3Error('NameUnsafe', `${line} does not lie below ${root}.`, {
    advice: 'Take it off the list, or name a place that it lies below.',
  });
const climbs = (path: string): boolean => path.split('/').includes('..');

/** How names of a list are looked for, and who is told of those that are no files. */
type Looking = Pick<WalkOptions, 'symlinks' | 'skippedLinks' | 'passedOver'>;

/** The files of a list, below a directory. */
export async function* filesFrom(
  list: NameList,
  root: string,
  looking: Looking,
  wanted: (path: string) => boolean,
): AsyncGenerator<SourceFile> {
  const fileAt = below(root, looking);
  for await (const line of entriesOf(list, () => true)) {
    const key = pathOf(line, root);
    if (!wanted(key)) continue;
    try {
      if (climbs(key)) throw outside(line, root);
      const found = fileAt(key);
      if (found === undefined) continue;
      // A list may name a file twice.
      const { unique: _, ...file } = found;
      yield file;
    } catch (error) {
      yield { path: key, size: 0, problem: toS3Error(error) };
    }
  }
}

/**
 * The wanted names of a list in the order of keys, each once.
 * @param problemOf why a line that names no local file can be none of the names @throws S3Error `NameUnsafe`
 */
export async function sortedFrom(
  { hold }: Session,
  list: NameList,
  root: string | undefined,
  wanted: (path: string) => boolean,
  problemOf: (path: string) => string | undefined = keyProblem,
): Promise<() => Iterable<string>> {
  const names = hold(new SortedNames());
  for await (const line of entriesOf(list, () => true)) {
    const path = root === undefined ? line : pathOf(line, root);
    if (climbs(path)) throw outside(line, root ?? 'the prefix');
    if (!wanted(path)) continue;
    const problem = root === undefined ? problemOf(path) : undefined;
    if (problem !== undefined)
      throw new S3Error('NameUnsafe', `${line} of the list: ${problem}.`, { advice: 'Take it off the list.' });
    names.add(path);
  }
  return () => eachOnce(names);
}

function* eachOnce(sorted: Iterable<string>): Generator<string> {
  let last: string | undefined;
  for (const name of sorted) if (name !== last) yield (last = name);
}

/** Those files that are there. Where the directory itself is not, nobody knows what of them is gone. */
export function* filesNamed(paths: Iterable<string>, root: string, looking: Looking): Generator<SourceFile> {
  try {
    accessSync(join(root, '/'));
  } catch (error) {
    yield { path: root, size: 0, unique: true, problem: toS3Error(error) };
    return;
  }
  const fileAt = below(root, looking);
  for (const path of paths)
    try {
      const file = fileAt(path);
      if (file !== undefined) yield file;
    } catch (error) {
      const problem = toS3Error(error);
      // What was its directory may be a file by now; what a link points to may only be on a disk that is not there now.
      const isGone = ['ENOENT', 'ENOTDIR'].includes((problem.cause as NodeJS.ErrnoException | undefined)?.code ?? '');
      if (isGone && !leadsThroughLink(root, path)) continue;
      yield { path, size: 0, unique: true, problem };
    }
}

/**
 * Finds files by name as `walk` finds them: undefined where links are left out, and for directories, which `find` names beside what lies in
 * them. Neighbours are looked for in one directory.
 */
function below(root: string, { symlinks, skippedLinks, passedOver }: Looking): (path: string) => SourceFile | undefined {
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
    // Not there, or below what is a file.
    return false;
  }
}

function leadsThroughLink(root: string, folder: string): boolean {
  let way = root;
  return folder.split('/').some((segment) => isLink((way = join(way, segment))));
}

/** A pipe with a name (`<(find …)`), too, ends when the run does. @throws S3Error `SourceUnreadable` */
const inputOf = ({ file, signal }: NameList): Readable =>
  file === '-' ? standardInput(signal) : ((fileSource(file, file, true).stream?.(signal) as Readable) ?? createReadStream(file));

/**
 * Without `./`, which `find .` writes: every path is the same, and a key with such a segment, which a store may hold, can neither be
 * asked for nor become a file. `.` is the place itself, and no name.
 */
const plain = (name: string): string =>
  name
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/(?:\.\/+)+/g, '/')
    .replace(/^\.$/, '');

/**
 * The names of a list that are wanted; empty ones are none. @throws S3Error `InvalidOption`
 * @param nameOf what a line names: without `./` unless said otherwise
 */
export async function* entriesOf(
  list: NameList,
  wanted: (name: string) => boolean,
  nameOf: (line: string) => string = plain,
): AsyncGenerator<string> {
  const input = inputOf(list);
  const end = list.zero ? '\0' : '\n';
  let [rest, begins] = ['', true];
  for await (const text of input.setEncoding('utf8') as AsyncIterable<string>) {
    // Before any of it is believed: between line breaks stand pieces of names.
    if (!list.zero && text.includes('\0'))
      throw new S3Error('InvalidOption', 'Names in the list end in a zero byte, as those of find -print0: add -0.');
    // Windows begins its texts with a mark.
    const lines = (rest + (begins ? text.replace(/^\uFEFF/, '') : text)).split(end);
    begins = false;
    rest = lines.pop()!;
    yield* namesIn(lines);
  }
  yield* namesIn([rest]);

  function* namesIn(lines: string[]): Generator<string> {
    for (const line of lines) {
      const name = nameOf(list.zero ? line : line.replace(/\r$/, ''));
      if (name !== '' && wanted(name)) yield name;
    }
  }
}
