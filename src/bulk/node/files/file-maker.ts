import * as nodeFs from 'node:fs';
import type { FileFacts } from '../../types.js';

/** A small file, whole. */
export interface WholeFile {
  temporary: string;
  full: string;
  bytes: Uint8Array;
  facts: FileFacts;
}

/** A file that is being written, and which one it is. */
export interface OpenFile {
  fd: number;
  ino: bigint;
}

/** A file that has all its bytes. */
export interface WrittenFile extends OpenFile {
  temporary: string;
  full: string;
  facts: FileFacts;
  /** What was written before, of a longer one, may stand behind the last byte. */
  cut: boolean;
}

/** The permissions that a new file has by itself. */
export const ORDINARY = 0o666 & ~process.umask();

export type FileMaker = ReturnType<typeof fileMaker>;

/**
 * The steps of a file that is written under a name of its own and renamed when it is whole. The text of this function runs in
 * a thread as well (`writer-thread.ts`): it may use its arguments alone.
 * @param ordinary `ORDINARY`
 */
export function fileMaker(fs: typeof import('node:fs'), ordinary: number) {
  // Linux puts a longer write into as long a run of free memory, and looking for that costs several times what the write does.
  const longest = 32 * 1024;
  // For whom a file is, is not known before its end.
  const HIDDEN = 0o600;

  /** Opens a file of that name that is nobody else's: what stands there may be of a run that lives, which goes on without a name. */
  function begin(temporary: string, mode: number): number {
    for (;;) {
      try {
        return fs.openSync(temporary, 'wx+', mode);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        fs.rmSync(temporary, { force: true });
      }
    }
  }

  function write(fd: number, position: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, Math.min(longest, bytes.length - at), position + at);
  }

  // Metadata comes from anyone who may store the object, so it makes no file executable or writable for others. The owner can always read.
  const modeOf = ({ mode, preserveMode }: FileFacts): number => {
    if (mode === undefined) return ordinary;
    return preserveMode ? mode & 0o777 : (mode & ordinary) | 0o400;
  };

  /** Gives an open file its permissions, unless they are what it has, and its time, and closes it. @returns the time as it came to be. */
  function seal(fd: number, facts: FileFacts, has: number | undefined): bigint {
    try {
      const mode = modeOf(facts);
      if (mode !== has) fs.fchmodSync(fd, mode);
      if (facts.mtimeNs !== undefined) {
        // As text: negative numbers, which are times before 1970, are taken for the present.
        const seconds = String(Number(facts.mtimeNs) / 1e9);
        fs.futimesSync(fd, seconds, seconds);
      }
      return fs.fstatSync(fd, { bigint: true }).mtimeNs;
    } finally {
      fs.closeSync(fd);
    }
  }

  /** A pipe or a device is nobody's to replace, nor could it be put back: it would be gone for every program. @throws where a file cannot come */
  function replaceable(full: string): void {
    const stat = fs.lstatSync(full, { throwIfNoEntry: false });
    if (stat === undefined || stat.isFile() || stat.isSymbolicLink()) return;
    throw Object.assign(new Error('no file stands there'), { code: 'EEXIST' });
  }

  /** Gives it its name. @returns false when `onlyNew`, and there is a file of that name. */
  function appear(temporary: string, full: string, onlyNew: boolean | undefined): boolean {
    if (onlyNew) {
      // A rename would replace what somebody made meanwhile.
      try {
        fs.linkSync(temporary, full);
        fs.rmSync(temporary);
        return true;
      } catch {
        // Not every file system has links.
        if (fs.lstatSync(full, { throwIfNoEntry: false }) !== undefined) return false;
      }
    }
    replaceable(full);
    fs.renameSync(temporary, full);
    return true;
  }

  /** @param resumed whether what stands there is gone on with */
  function open(temporary: string, resumed: boolean): OpenFile {
    const fd = resumed ? fs.openSync(temporary, 'r+') : begin(temporary, HIDDEN);
    return { fd, ino: fs.fstatSync(fd, { bigint: true }).ino };
  }

  /** Whether the file of that name is this one: another run may have begun one of its own since. */
  function isNamed(ino: bigint, temporary: string): boolean {
    return fs.statSync(temporary, { bigint: true, throwIfNoEntry: false })?.ino === ino;
  }

  /** Makes a file appear, and closes it in any case. @returns as `make` does; what failed is not removed */
  function finish({ fd, ino, temporary, full, facts, cut }: WrittenFile): bigint | undefined {
    let opened = ordinary;
    try {
      if (cut) fs.ftruncateSync(fd, facts.size);
      // A code is all that an error keeps between threads.
      if (!isNamed(ino, temporary))
        throw Object.assign(new Error('Its temporary file was removed, moved or replaced, perhaps by another run.'), {
          code: 'TemporaryGone',
        });
      // A disk that has modes of its own may refuse to change them.
      if ((fs.fstatSync(fd).mode & 0o777) === HIDDEN) opened = HIDDEN;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
    const mtimeNs = seal(fd, facts, opened);
    return appear(temporary, full, facts.onlyNew) ? mtimeNs : undefined;
  }

  /** @returns its time as it came to be; undefined when `onlyNew`, and there is a file of that name. */
  function make({ temporary, full, bytes, facts }: WholeFile): bigint | undefined {
    try {
      const has = modeOf(facts) & ordinary;
      const fd = begin(temporary, has);
      try {
        write(fd, 0, bytes);
      } catch (error) {
        fs.closeSync(fd);
        throw error;
      }
      const mtimeNs = seal(fd, facts, has);
      if (appear(temporary, full, facts.onlyNew)) return mtimeNs;
      fs.rmSync(temporary);
      return undefined;
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  }

  return { open, write, isNamed, replaceable, finish, make };
}

export const here = fileMaker(nodeFs, ORDINARY);
