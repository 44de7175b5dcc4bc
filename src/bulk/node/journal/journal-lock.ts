import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { S3Error } from '../../errors.js';

/** A holder elsewhere shows that it lives by touching its lock; so long after the last time it is taken for dead. */
const SILENT_MS = 120_000;
const TOUCH_MS = 20_000;
/** In the place of a beginning. */
const ENDED = 'ended';

interface Holder {
  host: string;
  /** What its number counts in, in the kernel's words: containers may share a host's name and each have a process 1. */
  space: string;
  pid: number;
  /** When the process began, in the kernel's words: a number is given again to another process. Empty where nothing tells. */
  began: string;
}

/** Those of this process, whose number tells nothing here. */
const held = new Set<string>();

/**
 * A file that says who holds a folder; one whose holder is gone is taken over.
 * @returns what gives it back. @throws S3Error `JournalLocked`
 */
export function acquireLock(path: string): () => void {
  const own: Holder = { host: hostname(), space: spaceHere(), pid: process.pid, began: beginningOf(process.pid) };
  const [full, text] = [resolve(path), JSON.stringify(own)];
  if (held.has(full)) throw locked(path, own, own);
  while (!appears(path, text)) {
    const found = textAt(path);
    if (found === undefined) continue;
    refuseLiving(path, found, own);
    // Of several that find one whose holder is gone, one alone may remove it, and none that another made in its place.
    const taking = `${path}.taking`;
    if (appears(taking, text)) {
      if (textAt(path) === found) rmSync(path, { force: true });
    } else {
      const other = textAt(taking);
      refuseLiving(taking, other, own);
      if (other === undefined || textAt(taking) !== other) continue;
    }
    rmSync(taking, { force: true });
  }
  held.add(full);
  const touching = setInterval(() => touch(path), TOUCH_MS).unref();
  return () => {
    clearInterval(touching);
    held.delete(full);
    // This run was taken for dead, if it was suspended for long: the lock is another's by now.
    if (textAt(path) !== text) return;
    removeUnlinked(path);
    rmSync(path, { force: true });
  };
}

/** What runs left that were killed while they made their lock: a folder that holds it would stay. Who makes one now does without it. */
function removeUnlinked(path: string): void {
  try {
    for (const name of readdirSync(dirname(path)))
      if (name.startsWith(`${basename(path)}.`) && UNLINKED.test(name)) rmSync(join(dirname(path), name), { force: true });
  } catch {
    // It stays.
  }
}

/** As `appears` names it. */
const UNLINKED = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whether nothing but its touch can tell whether it lives. */
const isElsewhere = (holder: Holder, own: Holder): boolean => holder.host !== own.host || holder.space !== own.space;

function locked(path: string, holder: Holder, own: Holder): S3Error {
  const since = isElsewhere(holder, own) ? `, or was in the last ${SILENT_MS / 1000} s` : '';
  return new S3Error('JournalLocked', `Process ${holder.pid} on ${holder.host} is at this very transfer${since} (${path}).`);
}

/** @throws S3Error `JournalLocked` */
function refuseLiving(path: string, text: string | undefined, own: Holder): void {
  const holder = text === undefined ? undefined : holderIn(text);
  if (holder !== undefined && lives(path, holder, own)) throw locked(path, holder, own);
}

const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Makes a file together with its text: an empty one would be nobody's to who finds it. @returns false where there is one */
function appears(path: string, text: string): boolean {
  const whole = `${path}.${randomUUID()}`;
  try {
    writeFileSync(whole, text, { mode: 0o600 });
    linkSync(whole, path);
    return true;
  } catch (error) {
    if (isThere(error)) return false;
  } finally {
    rmSync(whole, { force: true });
  }
  // Not every file system has links.
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isThere(error)) return false;
    throw error;
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** One that was cut before it was written belongs to nobody. */
function holderIn(text: string): Holder | undefined {
  try {
    const told = JSON.parse(text) as Partial<Holder> | number;
    // What earlier releases wrote: a process of this machine.
    if (typeof told === 'number') return { host: hostname(), space: spaceHere(), pid: told, began: beginningOf(told) };
    const { host, space = spaceHere(), pid, began } = told;
    const isWhole = typeof host === 'string' && typeof pid === 'number' && typeof began === 'string';
    return isWhole ? { host, space, pid, began } : undefined;
  } catch {
    return undefined;
  }
}

function lives(path: string, holder: Holder, own: Holder): boolean {
  if (isElsewhere(holder, own)) return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < SILENT_MS;
  const began = beginningOf(holder.pid);
  if (holder.pid === own.pid || began === ENDED || began !== holder.began) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Source: pid_namespaces(7). Empty where there is no such thing. */
function spaceHere(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
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
