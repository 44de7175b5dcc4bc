// @ts-check
// The steps of writing a file: under a temporary name first, renamed when the file is complete.
// Plain JavaScript, so that the worker thread runs it from the source folder as well: Node 20 loads no TypeScript in a worker.
import * as fs from 'node:fs';

/** @typedef {import('../../types.js').FileFacts} FileFacts */
/** @typedef {{ fd: number; ino: bigint }} OpenFile An open temporary file. The inode tells it from a file that replaced it. */
/** @typedef {{ temporary: string; full: string; bytes: Uint8Array; facts: FileFacts }} WholeFile A small file that is written at once. */
/**
 * A file that has all its bytes. With `truncate`, longer content from an earlier attempt may follow the last byte.
 * @typedef {OpenFile & { temporary: string; full: string; facts: FileFacts; truncate: boolean }} CompleteFile
 */

/** The permissions of a new file. */
export const DEFAULT_MODE = 0o666 & ~process.umask();

/** Temporary files are private, because the permissions of the object are known only at the end. */
const TEMPORARY_MODE = 0o600;

/** Bytes of one write call. Linux looks for contiguous memory for longer writes, and that costs more than the write. */
const MAX_WRITE = 32 * 1024;

/**
 * Opens the temporary file of a download.
 * @param {string} temporary
 * @param {boolean} resumed continues the file of an earlier run
 * @returns {OpenFile}
 */
export function open(temporary, resumed) {
  const fd = resumed ? fs.openSync(temporary, 'r+') : create(temporary, TEMPORARY_MODE);
  return { fd, ino: fs.fstatSync(fd, { bigint: true }).ino };
}

/**
 * @param {number} fd
 * @param {number} position
 * @param {Uint8Array} bytes
 */
export function write(fd, position, bytes) {
  let written = 0;
  while (written < bytes.length) {
    const length = Math.min(MAX_WRITE, bytes.length - written);
    written += fs.writeSync(fd, bytes, written, length, position + written);
  }
}

/**
 * Closes a complete file and renames it. On failure the temporary file stays.
 * @param {CompleteFile} file
 * @returns {bigint | undefined} the modification time as the disk stored it; undefined if `onlyNew` is set and the name is taken
 */
export function finish({ fd, ino, temporary, full, facts, truncate }) {
  let currentMode = DEFAULT_MODE;
  try {
    if (truncate) fs.ftruncateSync(fd, facts.size);
    if (!hasInode(temporary, ino)) {
      const message = 'The temporary file was removed, moved or replaced, perhaps by another run.';
      throw Object.assign(new Error(message), { code: 'TemporaryGone' });
    }
    // A file system with fixed modes may refuse to change them.
    if ((fs.fstatSync(fd).mode & 0o777) === TEMPORARY_MODE) currentMode = TEMPORARY_MODE;
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  const mtimeNs = closeWithFacts(fd, facts, currentMode);
  return rename(temporary, full, facts.onlyNew) ? mtimeNs : undefined;
}

/**
 * Writes a small file at once. On failure no temporary file stays.
 * @param {WholeFile} file
 * @returns {bigint | undefined} as `finish`
 */
export function make({ temporary, full, bytes, facts }) {
  try {
    const mode = modeOf(facts) & DEFAULT_MODE;
    const fd = create(temporary, mode);
    try {
      write(fd, 0, bytes);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
    const mtimeNs = closeWithFacts(fd, facts, mode);
    if (rename(temporary, full, facts.onlyNew)) return mtimeNs;
    fs.rmSync(temporary);
    return undefined;
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Returns whether a path still names the file with this inode.
 * @param {string} path
 * @param {bigint} ino
 */
export function hasInode(path, ino) {
  return fs.statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino;
}

/**
 * Protects directories, pipes and devices from being replaced by a file.
 * @param {string} full
 * @throws {NodeJS.ErrnoException} `EEXIST`
 */
export function requireReplaceable(full) {
  const stat = fs.lstatSync(full, { throwIfNoEntry: false });
  if (stat === undefined || stat.isFile() || stat.isSymbolicLink()) return;
  throw Object.assign(new Error('The name is taken by something that is not a file.'), { code: 'EEXIST' });
}

/**
 * Creates a file that no other process has open. A live run may still write to the old file of that name, which loses its name.
 * @param {string} temporary
 * @param {number} mode
 */
function create(temporary, mode) {
  for (;;) {
    try {
      return fs.openSync(temporary, 'wx+', mode);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      fs.rmSync(temporary, { force: true });
    }
  }
}

/**
 * Returns the permissions of a file. Anyone who may store an object chooses its metadata, so metadata alone makes no file
 * executable or writable for others. The owner can always read.
 * @param {FileFacts} facts
 */
function modeOf({ mode, preserveMode }) {
  if (mode === undefined) return DEFAULT_MODE;
  return preserveMode ? mode & 0o777 : (mode & DEFAULT_MODE) | 0o400;
}

/**
 * Sets permissions and modification time and closes the file in any case.
 * @param {number} fd
 * @param {FileFacts} facts
 * @param {number} currentMode
 * @returns the modification time as the disk stored it
 */
function closeWithFacts(fd, facts, currentMode) {
  try {
    const mode = modeOf(facts);
    if (mode !== currentMode) fs.fchmodSync(fd, mode);
    if (facts.mtimeNs !== undefined) {
      // The seconds are text, because Node replaces negative numbers, which are times before 1970, with the present.
      const seconds = String(Number(facts.mtimeNs) / 1e9);
      fs.futimesSync(fd, seconds, seconds);
    }
    return fs.fstatSync(fd, { bigint: true }).mtimeNs;
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * @param {string} temporary
 * @param {string} full
 * @param {boolean | undefined} onlyNew
 * @returns false if `onlyNew` is set and the name is taken
 */
function rename(temporary, full, onlyNew) {
  if (onlyNew) {
    // A rename would replace a file that appeared meanwhile; a link does not.
    try {
      fs.linkSync(temporary, full);
      fs.rmSync(temporary);
      return true;
    } catch {
      // The file system may lack links.
      if (fs.lstatSync(full, { throwIfNoEntry: false }) !== undefined) return false;
    }
  }
  requireReplaceable(full);
  fs.renameSync(temporary, full);
  return true;
}
