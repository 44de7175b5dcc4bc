import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Names state the machine and the process, so that a later process recognizes the folders of one that was killed. */
const PREFIX = 'svc-blob-frame';
/** Folders that are older belong to no running job. */
const MAX_AGE_MS = 3_600_000;

/** Absolute, because the programs have another working directory. */
const root = (): string => resolve(tmpdir());

const machine = hostname().replace(/[^\w.]/g, '_');

/** Runs work with a new folder that only this user can read. Deletes it afterwards. */
export async function withPrivateFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(root(), `${PREFIX}-${machine}-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Deletes the folders of processes that were killed. Folders of other machines or containers must be an hour old.
 * Others may write to the same place, so it never follows a link, and skips what it cannot delete.
 */
export async function sweepPrivateFolders(): Promise<void> {
  for (const name of await readdir(root())) {
    const [, machineOfFolder, pid] = /^svc-blob-frame-(.+)-(\d+)-\w+$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(root(), name);
    const found = await lstat(folder).catch(() => undefined);
    if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) continue;
    const isDead = machineOfFolder === machine && !isOwnerRunning(Number(pid), found.mtimeMs);
    if (isDead || found.mtimeMs < Date.now() - MAX_AGE_MS) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Returns whether the process that made a folder still runs. In a container, a restarted service often has the same id as before. */
function isOwnerRunning(pid: number, modifiedMs: number): boolean {
  if (pid === process.pid) return modifiedMs >= Date.now() - process.uptime() * 1000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
