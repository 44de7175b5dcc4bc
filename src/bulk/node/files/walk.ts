import { constants, createReadStream, lstatSync, openSync, opendirSync, statSync } from 'node:fs';
import type { Dir, Dirent } from 'node:fs';
import { Socket } from 'node:net';
import { join, sep } from 'node:path';
import { S3Error } from '../../errors.js';
import type { PathFilter } from '../../list/path-filter.js';
import { RETENTION_MS } from '../../journal/resume-journal.js';
import { KEY_MAX_BYTES } from '../../s3/object-keys.js';
import type { SourceFile } from '../../types.js';
import { abortError } from '../../abort.js';
import { DiskSpool } from '../sorting/disk-spool.js';
import { FileReader } from './file-reader.js';
import { sortedEntries } from '../sorting/sorted-entries.js';
import type { Entry } from '../sorting/sorted-entries.js';

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
 * yielded with its problem.
 */
export function* walk(root: string, options: WalkOptions = {}): Generator<SourceFile> {
  yield* walkDirectory(root, '', options, { parents: new Set(isFolder(root) ? [idOf(statSync(root))] : []), linked: false });
}

/**
 * Returns the source of one file.
 * @param as the path that names the object
 * @param pipes accepts pipes and devices as well, which can be read once
 * @throws S3Error `SourceUnreadable`
 */
export function fileSource(path: string, as: string, pipes = false): SourceFile {
  try {
    const stat = statSync(path, { bigint: true });
    if (stat.isFile()) return sourceOf(path, as, stat);
    if (pipes && stat.isFIFO()) return streamSource(as, (signal) => readPipe(path, signal));
    if (pipes && (stat.isCharacterDevice() || stat.isBlockDevice())) return streamSource(as, () => createReadStream(path));
    throw new S3Error('SourceUnreadable', `${path} is not a regular file.`);
  } catch (error) {
    throw toReadError(error);
  }
}

/** Returns the source of a stream of unknown length. Bytes that exceed the memory limit are spooled to disk. */
export const streamSource = (path: string, stream: NonNullable<SourceFile['stream']>): SourceFile => ({
  path,
  size: null,
  unique: true,
  stream,
  spool: () => new DiskSpool(),
});

/** Reads a pipe as a socket. A blocking read would occupy a thread that cannot be interrupted. */
function readPipe(path: string, signal: AbortSignal | undefined): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  const stop = (): void => void socket.destroy(abortError(signal!));
  // Readers get the error; without this listener it would be uncaught before the first read.
  socket.on('error', () => {}).once('close', () => signal?.removeEventListener('abort', stop));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return socket;
}

export const skippedLink = (path: string): SourceFile => ({ path, size: 0, unique: true, skippedLink: true });

/** The position of the walk. */
interface WalkState {
  /** Identities of the parent directories. */
  parents: Set<string>;
  /** True below a link to a directory. */
  linked: boolean;
}

interface FileStat {
  size: bigint;
  mtimeNs: bigint;
  mode: bigint;
}

const sourceOf = (full: string, path: string, facts: FileStat): SourceFile => ({
  path,
  size: Number(facts.size),
  mtimeNs: facts.mtimeNs,
  mode: Number(facts.mode),
  unique: true,
  open: () => new FileReader(full),
});

/** Names of temporary files of `FolderTarget`. The next run resumes them. */
export const TEMPORARY_NAME = /^\.svc-[0-9a-z]{11,13}\.part$/;

/** Nested directories. Each takes at least two bytes of a key. Deeper trees would exhaust the stack. */
const MAX_DEPTH = KEY_MAX_BYTES / 2;

function* walkDirectory(full: string, path: string, options: WalkOptions, position: WalkState): Generator<SourceFile> {
  let entries: Iterable<Entry>;
  try {
    const streamed = openEntries(full);
    // A skipped link sorts as a file.
    const isFolderLink = (name: string): boolean => options.symlinks !== 'skip' && isFolder(join(full, name));
    entries = options.sorted ? sortedEntries(streamed, isFolderLink) : streamed;
  } catch (error) {
    if (path === '' || options.filter?.coversAll?.(path) !== true)
      yield { path: path === '' ? full : path, size: 0, unique: true, problem: toReadError(error) };
    return;
  }
  let empty = true;
  for (const entry of entries) {
    empty = false;
    const isLeft = entry.isFile() && TEMPORARY_NAME.test(entry.name);
    if (isLeft && !options.leftOvers) continue;
    const childPath = path === '' ? entry.name : `${path}/${entry.name}`;
    const child = full.endsWith(sep) ? full + entry.name : full + sep + entry.name;
    const files = walkEntry(child, childPath, entry, options, position);
    yield* isLeft ? expiredTemporaryFiles(files) : files;
  }
  if (empty && path !== '' && options.filter?.(`${path}/`) !== false) yield { path, size: 0, directory: true, unique: true };
}

/** Yields temporary files that are too old to be resumed. */
function* expiredTemporaryFiles(files: Iterable<SourceFile>): Generator<SourceFile> {
  for (const file of files) {
    const { mtimeNs, problem } = file;
    if (problem === undefined && mtimeNs !== undefined && Date.now() - Number(mtimeNs / 1_000_000n) > RETENTION_MS)
      yield { ...file, leftOver: true };
  }
}

function* walkEntry(full: string, path: string, entry: Entry, options: WalkOptions, position: WalkState): Generator<SourceFile> {
  if (entry.isSymbolicLink() && options.symlinks === 'skip') {
    if (options.skippedLinks) yield skippedLink(path);
    return;
  }
  try {
    if (entry.isFile() || entry.isSymbolicLink()) {
      if (entry.isFile() && options.filter?.(path) === false) return;
      const stat = statSync(full, { bigint: true });
      if (stat.isFile()) {
        if (options.filter?.(path) === false) return;
        const file = sourceOf(full, path, stat);
        if (position.linked) file.linked = true;
        yield file;
        return;
      }
      if (!stat.isDirectory()) return reportPassedOver(path, options);
    } else if (!entry.isDirectory()) return reportPassedOver(path, options);
    // A link to a parent directory would loop.
    const stat = entry.isSymbolicLink() ? statSync(full) : lstatSync(full);
    const id = idOf(stat);
    const { parents } = position;
    if (parents.size > MAX_DEPTH) throw new S3Error('NameUnsafe', 'the path is longer than a key may be: 1,024 bytes');
    if (parents.has(id)) throw new S3Error('SourceUnreadable', `${path} is a link to one of its parent directories.`);
    parents.add(id);
    try {
      yield* walkDirectory(full, path, options, entry.isSymbolicLink() ? { parents, linked: true } : position);
    } finally {
      parents.delete(id);
    }
  } catch (error) {
    // For a broken link, only the name can be filtered.
    const unwanted = entry.isDirectory() ? options.filter?.coversAll?.(path) : options.filter?.(path) === false;
    if (!unwanted) yield { path, size: 0, unique: true, problem: problemOf(entry.name, error) };
  }
}

/** Node replaces invalid UTF-8 in names by U+FFFD, and then no such file is found. */
const problemOf = (name: string, error: unknown): S3Error =>
  name.includes('\uFFFD') && (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new S3Error('NameUnsafe', 'the name is not valid UTF-8; convert it with convmv')
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

const toReadError = (error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('SourceUnreadable', (error as Error).message, { cause: error });
