import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { S3Error } from '../errors.js';

/** A holder on another machine shows that it lives by touching its lock; so long after the last time it is taken for dead. */
const SILENT_MS = 120_000;
const TOUCH_MS = 20_000;
/** In the place of a beginning. */
const ENDED = 'ended';

interface Holder {
  host: string;
  pid: number;
  /** When the process began, in the kernel's words: a number is given again to another process. Empty where nothing tells. */
  began: string;
}

/**
 * A file that says who holds a folder; one whose holder is gone is taken over.
 * @returns what gives it back. @throws S3Error `JournalLocked`
 */
export function lock(path: string): () => void {
  const own: Holder = { host: hostname(), pid: process.pid, began: beginningOf(process.pid) };
  for (let tries = 0; ; tries++) {
    try {
      const fd = openSync(path, 'wx', 0o600);
      try {
        writeFileSync(fd, JSON.stringify(own));
      } finally {
        closeSync(fd);
      }
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === 3) throw error;
    }
    const holder = read(path);
    if (holder !== undefined && lives(path, holder, own))
      throw new S3Error('JournalLocked', `Process ${holder.pid} on ${holder.host} is at this very transfer (${path}).`);
    rmSync(path, { force: true });
  }
  const touching = setInterval(() => touch(path), TOUCH_MS).unref();
  return () => {
    clearInterval(touching);
    rmSync(path, { force: true });
  };
}

/** One that was cut before it was written belongs to nobody. */
function read(path: string): Holder | undefined {
  try {
    const told = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder> | number;
    // What earlier releases wrote: a process of this machine.
    if (typeof told === 'number') return { host: hostname(), pid: told, began: beginningOf(told) };
    const { host, pid, began } = told;
    return typeof host === 'string' && typeof pid === 'number' && typeof began === 'string' ? { host, pid, began } : undefined;
  } catch {
    return undefined;
  }
}

function lives(path: string, holder: Holder, own: Holder): boolean {
  if (holder.host !== own.host) return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < SILENT_MS;
  const began = beginningOf(holder.pid);
  if (holder.pid === own.pid || began === ENDED || began !== holder.began) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Source: proc(5), the 3rd and the 22nd field of `/proc/[pid]/stat`; the second may hold spaces, in parentheses. One that ended and was
 * not asked for its status yet (Z), for which a container may have nobody, counts as gone.
 */
function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? ENDED : (fields[18] ?? '');
  } catch {
    return '';
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody removed it: nothing that this run could mend.
  }
}
