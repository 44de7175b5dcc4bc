import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process on another machine or in another container counts as ended if it has not touched its lock for this time. Milliseconds. */
export const SILENT_MS = 120_000;

/** Start time of a process that has ended. */
const ENDED = 'ended';

/** The process that holds a lock. The names of the fields are part of the lock file. */
export interface LockHolder {
  host: string;
  /** Name space of the process id. Containers may share a host name, and each may have a process 1. */
  space: string;
  pid: number;
  /** Start time of the process as the kernel tells it, because process ids are used again. Empty if the system does not tell it. */
  began: string;
}

/** Returns this process as the holder of a lock. */
export const ownProcess = (): LockHolder => ({
  host: hostname(),
  space: pidNamespace(),
  pid: process.pid,
  began: startTimeOf(process.pid),
});

/** Returns whether a process runs on another machine or in another container. Then only its touches show that it is running. */
export const isElsewhere = (holder: LockHolder, own: LockHolder): boolean =>
  holder.host !== own.host || holder.space !== own.space;

/** Returns whether the holder of the lock file `path` is running. */
export function isAlive(path: string, holder: LockHolder, own: LockHolder): boolean {
  if (isElsewhere(holder, own)) return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < SILENT_MS;
  const startTime = startTimeOf(holder.pid);
  if (holder.pid === own.pid || startTime === ENDED || startTime !== holder.began) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** @returns undefined for an incomplete text: its writer was killed, and the lock has no holder */
export function parseHolder(text: string): LockHolder | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<LockHolder> | number;
    // Earlier releases wrote the id of a process of this machine.
    if (typeof parsed === 'number') return { host: hostname(), space: pidNamespace(), pid: parsed, began: startTimeOf(parsed) };
    const { host, space = pidNamespace(), pid, began } = parsed;
    const isComplete = typeof host === 'string' && typeof pid === 'number' && typeof began === 'string';
    return isComplete ? { host, space, pid, began } : undefined;
  } catch {
    return undefined;
  }
}

/** @returns an empty text on systems without name spaces @see pid_namespaces(7) */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/**
 * Returns the start time of a process: field 22 of `/proc/[pid]/stat`. Field 2 is in parentheses and may contain spaces. A process
 * that has ended and whose parent has not read its status (state Z) counts as ended. In a container, no parent may ever do so.
 * @see proc(5)
 */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? ENDED : (fields[18] ?? '');
  } catch {
    return '';
  }
}
