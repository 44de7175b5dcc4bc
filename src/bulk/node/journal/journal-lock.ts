import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { S3Error } from '../../errors.js';
import { isAlive, isElsewhere, ownProcess, parseHolder, SILENT_MS } from './lock-holder.js';
import type { LockHolder } from './lock-holder.js';

/** Interval in which a running process touches its lock. Milliseconds. */
const TOUCH_MS = 20_000;

/** Paths of the locks that this process holds. Its own process id in a lock file proves nothing. */
const ownLocks = new Set<string>();

/**
 * Takes the lock of a folder: a file that names the process that uses the folder. The lock of an ended process is replaced.
 * @returns a function that releases the lock
 * @throws S3Error `JournalLocked` if a running process holds the lock
 */
export function acquireLock(path: string): () => void {
  const own = ownProcess();
  const [absolute, text] = [resolve(path), JSON.stringify(own)];
  if (ownLocks.has(absolute)) throw lockedError(path, own, own);
  while (!createWithText(path, text)) {
    const found = textOf(path);
    if (found !== undefined) removeStaleLock(path, found, text, own);
  }
  ownLocks.add(absolute);
  const touching = setInterval(() => touch(path), TOUCH_MS).unref();
  return () => {
    clearInterval(touching);
    ownLocks.delete(absolute);
    // After a long suspension another process may have replaced the lock.
    if (textOf(path) !== text) return;
    removeUnlinkedFiles(path);
    rmSync(path, { force: true });
  };
}

/**
 * Removes the lock of an ended process. Several processes may try this at once. A second lock makes sure that only one removes the
 * file, and that none removes a lock that another process has created since.
 * @throws S3Error `JournalLocked` if the holder of either lock is running
 */
function removeStaleLock(path: string, found: string, text: string, own: LockHolder): void {
  refuseRunning(path, found, own);
  const removalLock = `${path}.taking`;
  if (createWithText(removalLock, text)) {
    if (textOf(path) === found) rmSync(path, { force: true });
  } else {
    const other = textOf(removalLock);
    refuseRunning(removalLock, other, own);
    if (other === undefined || textOf(removalLock) !== other) return;
  }
  rmSync(removalLock, { force: true });
}

/** @throws S3Error `JournalLocked` */
function refuseRunning(path: string, text: string | undefined, own: LockHolder): void {
  const holder = text === undefined ? undefined : parseHolder(text);
  if (holder !== undefined && isAlive(path, holder, own)) throw lockedError(path, holder, own);
}

function lockedError(path: string, holder: LockHolder, own: LockHolder): S3Error {
  const since = isElsewhere(holder, own) ? `, or was in the last ${SILENT_MS / 1000} s` : '';
  return new S3Error(
    'JournalLocked',
    `Process ${holder.pid} on ${holder.host} is running the same transfer${since}. Its lock is ${path}.`,
  );
}

const isExistsError = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/**
 * Creates a file together with its text. Another process must not see it empty, because an empty lock has no holder.
 * @returns false if the file exists
 */
function createWithText(path: string, text: string): boolean {
  const unlinked = `${path}.${randomUUID()}`;
  try {
    writeFileSync(unlinked, text, { mode: 0o600 });
    linkSync(unlinked, path);
    return true;
  } catch (error) {
    if (isExistsError(error)) return false;
  } finally {
    rmSync(unlinked, { force: true });
  }
  // The file system may lack links.
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isExistsError(error)) return false;
    throw error;
  }
}

/** Ends the names that `createWithText` gives its temporary files. */
const UNLINKED = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Removes the temporary files of processes that were killed while they created their lock. The folder could not be removed otherwise. */
function removeUnlinkedFiles(path: string): void {
  try {
    for (const name of readdirSync(dirname(path)))
      if (name.startsWith(`${basename(path)}.`) && UNLINKED.test(name)) rmSync(join(dirname(path), name), { force: true });
  } catch {
    // They stay.
  }
}

/** @returns undefined if there is no file */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // A person or a program removed the lock. The run continues without it.
  }
}
