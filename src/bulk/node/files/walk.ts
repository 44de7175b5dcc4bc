import { constants, createReadStream, lstatSync, openSync, opendirSync, statSync } from 'node:fs';
import type { Dir, Dirent } from 'node:fs';
import { Socket } from 'node:net';
import { join, sep } from 'node:path';
import { S3Error } from '../../errors.js';
import type { PathFilter } from '../../list/path-filter.js';
import { KEPT_MS } from '../../journal/resume-journal.js';
import { KEY_MAX_BYTES } from '../../s3/object-keys.js';
import type { SourceFile } from '../../types.js';
import { abortError } from '../../abort.js';
import { DiskSpool } from '../sorting/disk-spool.js';
import { FileReader } from './file-reader.js';
import { sortedEntries } from '../sorting/sorted-entries.js';
import type { Entry } from '../sorting/sorted-entries.js';

export interface WalkOptions {
  /** `follow` reads what they point to, `skip` leaves them out. @default "follow" */
  symlinks?: 'follow' | 'skip';
  /**
   * Only paths for which it says true. Directories are asked for with a slash at the end, when they are empty. One that cannot be
   * read is a problem, unless `coversAll` says that nothing in it could be wanted.
   */
  filter?: PathFilter;
  /** In the order in which stores list, as a sync needs it: names are gathered directory by directory, 8 MiB of them at most. */
  sorted?: boolean;
  /** Yields what downloads left as well. */
  leftOvers?: boolean;
  /** Yields links that `symlinks: 'skip'` leaves out as well: a sync that deletes has to know them, to spare what it has not looked for. */
  skippedLinks?: boolean;
  /** Told of sockets, pipes and devices that would be wanted: there are no bytes of theirs. */
  passedOver?: (path: string) => void;
}

/**
 * All files below a directory, and its empty directories. Nothing is held but the open directories on the way. What
 * cannot be read is yielded with its problem, and the walk goes on.
 */
export function* walk(root: string, options: WalkOptions = {}): Generator<SourceFile> {
  yield* directory(root, '', options, { above: new Set(isFolder(root) ? [idOf(statSync(root))] : []), linked: false });
}

/** One file by its path; with `pipes`, what has no length as well, to be read once. @throws S3Error `SourceUnreadable` */
export function fileSource(path: string, as: string, pipes = false): SourceFile {
  try {
    const stat = statSync(path, { bigint: true });
    if (stat.isFile()) return sourceOf(path, as, stat);
    if (pipes && stat.isFIFO()) return streamed(as, (signal) => pipe(path, signal));
    if (pipes && (stat.isCharacterDevice() || stat.isBlockDevice())) return streamed(as, () => createReadStream(path));
    throw new S3Error('SourceUnreadable', `${path} is no regular file.`);
  } catch (error) {
    throw unreadable(error);
  }
}

/** Bytes whose end nobody knows, to be read once; what of them is too much to be held waits on disk. */
export const streamed = (path: string, stream: NonNullable<SourceFile['stream']>): SourceFile => ({
  path,
  size: null,
  unique: true,
  stream,
  spool: () => new DiskSpool(),
});

/** Read as a socket: opening it, or reading, as a file would hold a thread until somebody writes, and nothing could end that. */
function pipe(path: string, signal: AbortSignal | undefined): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: true, writable: false });
  const stop = (): void => void socket.destroy(abortError(signal!));
  // It is told to who reads; nobody may read yet.
  socket.on('error', () => {}).once('close', () => signal?.removeEventListener('abort', stop));
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  return socket;
}

export const skippedLink = (path: string): SourceFile => ({ path, size: 0, unique: true, skippedLink: true });

/** How the walk came to where it is. */
interface Way {
  /** The directories above. */
  above: Set<string>;
  /** Through a link to a directory. */
  linked: boolean;
}

interface Facts {
  size: bigint;
  mtimeNs: bigint;
  mode: bigint;
}

const sourceOf = (full: string, path: string, facts: Facts): SourceFile => ({
  path,
  size: Number(facts.size),
  mtimeNs: facts.mtimeNs,
  mode: Number(facts.mode),
  unique: true,
  open: () => new FileReader(full),
});

/** What a download that was cut short left (`FolderTarget`): bytes of an object for it to go on with, and no file of anybody's. */
export const BEING_WRITTEN = /^\.svc-[0-9a-z]{11,13}\.part$/;

/** Directories in one another, of which each takes two bytes of a key at least; and a walk that is told of more would run out of stack. */
const DEEPEST = KEY_MAX_BYTES / 2;

function* directory(full: string, path: string, options: WalkOptions, way: Way): Generator<SourceFile> {
  let entries: Iterable<Entry>;
  try {
    const streamed = streamedEntries(full);
    // A link that is left out is no folder: it comes before all that lies below its name on the other side.
    const isFolderLink = (name: string): boolean => options.symlinks !== 'skip' && isFolder(join(full, name));
    entries = options.sorted ? sortedEntries(streamed, isFolderLink) : streamed;
  } catch (error) {
    if (path === '' || options.filter?.coversAll?.(path) !== true)
      yield { path: path === '' ? full : path, size: 0, unique: true, problem: unreadable(error) };
    return;
  }
  let empty = true;
  for (const entry of entries) {
    empty = false;
    const isLeft = entry.isFile() && BEING_WRITTEN.test(entry.name);
    if (isLeft && !options.leftOvers) continue;
    const childPath = path === '' ? entry.name : `${path}/${entry.name}`;
    const child = full.endsWith(sep) ? full + entry.name : full + sep + entry.name;
    const files = one(child, childPath, entry, options, way);
    yield* isLeft ? leftOvers(files) : files;
  }
  if (empty && path !== '' && options.filter?.(`${path}/`) !== false) yield { path, size: 0, directory: true, unique: true };
}

/** Those to which nobody writes any more, nor goes on with them. */
function* leftOvers(files: Iterable<SourceFile>): Generator<SourceFile> {
  for (const file of files) {
    const { mtimeNs, problem } = file;
    if (problem === undefined && mtimeNs !== undefined && Date.now() - Number(mtimeNs / 1_000_000n) > KEPT_MS)
      yield { ...file, leftOver: true };
  }
}

function* one(full: string, path: string, entry: Entry, options: WalkOptions, way: Way): Generator<SourceFile> {
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
        if (way.linked) file.linked = true;
        yield file;
        return;
      }
      if (!stat.isDirectory()) return passOver(path, options);
    } else if (!entry.isDirectory()) return passOver(path, options);
    // A link to a directory above would go round for ever.
    const stat = entry.isSymbolicLink() ? statSync(full) : lstatSync(full);
    const id = idOf(stat);
    const { above } = way;
    if (above.size > DEEPEST) throw new S3Error('NameUnsafe', 'deeper than any key goes: they have 1,024 bytes at most');
    if (above.has(id)) throw new S3Error('SourceUnreadable', `${path} is a link to a directory it lies in.`);
    above.add(id);
    try {
      yield* directory(full, path, options, entry.isSymbolicLink() ? { above, linked: true } : way);
    } finally {
      above.delete(id);
    }
  } catch (error) {
    // Where a link leads nowhere, its name is all there is to go by.
    const unwanted = entry.isDirectory() ? options.filter?.coversAll?.(path) : options.filter?.(path) === false;
    if (!unwanted) yield { path, size: 0, unique: true, problem: problemOf(entry.name, error) };
  }
}

/** Bytes that are no text become U+FFFD, and then there is no file of that name: keys are text. */
const problemOf = (name: string, error: unknown): S3Error =>
  name.includes('\uFFFD') && (error as NodeJS.ErrnoException).code === 'ENOENT'
    ? new S3Error('NameUnsafe', 'the name is no valid UTF-8; convmv turns old encodings into it')
    : unreadable(error);

function passOver(path: string, { filter, passedOver }: WalkOptions): void {
  if (filter?.(path) !== false) passedOver?.(path);
}

/** @throws NodeJS.ErrnoException at once, not with the first entry. */
const streamedEntries = (full: string): Generator<Dirent> => entryCount(opendirSync(full, { bufferSize: 256 }));

function* entryCount(directory: Dir): Generator<Dirent> {
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

const unreadable = (error: unknown): S3Error =>
  error instanceof S3Error ? error : new S3Error('SourceUnreadable', (error as Error).message, { cause: error });
