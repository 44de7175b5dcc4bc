import { lstatSync, opendirSync, statSync } from 'node:fs';
import type { Dir, Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { S3Error } from '../../errors.js';
import { RETENTION_MS } from '../../journal/resume-journal.js';
import type { PathFilter } from '../../list/path-filter.js';
import { KEY_MAX_BYTES } from '../../s3/object-keys.js';
import type { SourceFile } from '../../types.js';
import { sortedEntries } from '../sorting/sorted-entries.js';
import type { Entry } from '../sorting/sorted-entries.js';
import { regularFile, skippedLink, toReadError } from './file-source.js';
import { TEMPORARY_NAME } from './temporary-name.js';

/** Options of `walk`. */
export interface WalkOptions {
  /** `follow` reads the targets of links, `skip` leaves links out. @default "follow" */
  symlinks?: 'follow' | 'skip';
  /**
   * Selects paths. Empty directories are passed with a slash at the end. A directory that cannot be read is a problem, unless
   * `coversAll` returns true for it.
   */
  filter?: PathFilter;
  /** Yields files in the order of keys, as a sync needs it. Holds at most 8 MiB of names. @default false */
  sorted?: boolean;
  /** Also yields temporary files of interrupted downloads. @default false */
  leftOvers?: boolean;
  /** Also yields skipped links, because a sync must not delete their targets. @default false */
  skippedLinks?: boolean;
  /** Called for selected sockets, pipes and devices, which cannot be uploaded. */
  passedOver?: (path: string) => void;
}

/**
 * Yields all files below a directory, and empty directories. It holds only the open directories. A path that cannot be read is
 * yielded with its `problem`, also if it is `root` itself.
 * @param root the directory
 * @example
 * await transfer.upload(walk('./photos', { symlinks: 'skip' }), { bucket: 'main', prefix: 'photos/' });
 */
export function* walk(root: string, options: WalkOptions = {}): Generator<SourceFile> {
  yield* walkDirectory(root, '', options, { parents: new Set(isFolder(root) ? [idOf(statSync(root))] : []), linked: false });
}

/** The position of the walk. */
interface WalkState {
  /** Identities of the parent directories. */
  parents: Set<string>;
  /** True below a link to a directory. */
  linked: boolean;
}

/** Largest number of nested directories. Each takes at least two bytes of a key. Deeper trees would exhaust the stack. */
const MAX_DEPTH = KEY_MAX_BYTES / 2;

/** @param full path on disk @param path path relative to the root */
function* walkDirectory(full: string, path: string, options: WalkOptions, state: WalkState): Generator<SourceFile> {
  let entries: Iterable<Entry>;
  try {
    const unsorted = openEntries(full);
    // A skipped link sorts as a file.
    const isFolderLink = (name: string): boolean => options.symlinks !== 'skip' && isFolder(join(full, name));
    entries = options.sorted ? sortedEntries(unsorted, isFolderLink) : unsorted;
  } catch (error) {
    if (path === '' || options.filter?.coversAll?.(path) !== true)
      yield { path: path === '' ? full : path, size: 0, unique: true, problem: toReadError(error) };
    return;
  }
  let isEmpty = true;
  for (const entry of entries) {
    isEmpty = false;
    const isTemporary = entry.isFile() && TEMPORARY_NAME.test(entry.name);
    if (isTemporary && !options.leftOvers) continue;
    const childPath = path === '' ? entry.name : `${path}/${entry.name}`;
    const child = full.endsWith(sep) ? full + entry.name : full + sep + entry.name;
    const files = walkEntry(child, childPath, entry, options, state);
    yield* isTemporary ? expiredTemporaryFiles(files) : files;
  }
  if (isEmpty && path !== '' && options.filter?.(`${path}/`) !== false) yield { path, size: 0, directory: true, unique: true };
}

/** Yields temporary files that are too old to be resumed. */
function* expiredTemporaryFiles(files: Iterable<SourceFile>): Generator<SourceFile> {
  for (const file of files) {
    const { mtimeNs, problem } = file;
    if (problem === undefined && mtimeNs !== undefined && Date.now() - Number(mtimeNs / 1_000_000n) > RETENTION_MS)
      yield { ...file, leftOver: true };
  }
}

/** Yields the files of one directory entry. A problem with the entry is yielded, not thrown. */
function* walkEntry(full: string, path: string, entry: Entry, options: WalkOptions, state: WalkState): Generator<SourceFile> {
  if (entry.isSymbolicLink() && options.symlinks === 'skip') {
    if (options.skippedLinks) yield skippedLink(path);
    return;
  }
  try {
    if (entry.isDirectory()) yield* enterDirectory(full, path, lstatSync(full), options, state);
    else if (entry.isFile() || entry.isSymbolicLink()) yield* walkFileOrLink(full, path, entry, options, state);
    else reportPassedOver(path, options);
  } catch (error) {
    // For a broken link, only the name can be filtered.
    const isUnwanted = entry.isDirectory() ? options.filter?.coversAll?.(path) : options.filter?.(path) === false;
    if (!isUnwanted) yield { path, size: 0, unique: true, problem: problemOf(entry.name, error) };
  }
}

/** @throws NodeJS.ErrnoException, S3Error as `enterDirectory` */
function* walkFileOrLink(
  full: string,
  path: string,
  entry: Entry,
  options: WalkOptions,
  state: WalkState,
): Generator<SourceFile> {
  // Files that do not take part need no system call. The type of a link is known only after it.
  if (entry.isFile() && options.filter?.(path) === false) return;
  const stat = statSync(full, { bigint: true });
  if (stat.isDirectory()) {
    const childState = entry.isSymbolicLink() ? { parents: state.parents, linked: true } : state;
    yield* enterDirectory(full, path, statSync(full), options, childState);
  } else if (!stat.isFile()) reportPassedOver(path, options);
  else if (entry.isFile() || options.filter?.(path) !== false) {
    const file = regularFile(full, path, stat);
    if (state.linked) file.linked = true;
    yield file;
  }
}

/** @throws S3Error `SourceUnreadable` for a link to a parent directory, which would loop, `NameUnsafe` for a path that is too long */
function* enterDirectory(
  full: string,
  path: string,
  stat: { dev: number; ino: number },
  options: WalkOptions,
  state: WalkState,
): Generator<SourceFile> {
  const id = idOf(stat);
  const { parents } = state;
  if (parents.size > MAX_DEPTH) throw new S3Error('NameUnsafe', 'The path is longer than a key may be: 1,024 bytes.');
  if (parents.has(id)) throw new S3Error('SourceUnreadable', `${path} is a link to one of its parent directories.`);
  parents.add(id);
  try {
    yield* walkDirectory(full, path, options, state);
  } finally {
    parents.delete(id);
  }
}

/** Node replaces invalid UTF-8 in names by U+FFFD, and then no such file is found. */
const problemOf = (name: string, error: unknown): S3Error =>
  name.includes('\uFFFD') && (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new S3Error('NameUnsafe', 'The name is not valid UTF-8. Convert it, for example with convmv.')
    : toReadError(error);

function reportPassedOver(path: string, { filter, passedOver }: WalkOptions): void {
  if (filter?.(path) !== false) passedOver?.(path);
}

/** Opens the directory at once, so that errors do not wait for the first entry. @throws NodeJS.ErrnoException */
const openEntries = (full: string): Generator<Dirent> => readEntries(opendirSync(full, { bufferSize: 256 }));

function* readEntries(directory: Dir): Generator<Dirent> {
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry;
  } finally {
    directory.closeSync();
  }
}

const idOf = (stat: { dev: number; ino: number }): string => `${stat.dev}:${stat.ino}`;

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
