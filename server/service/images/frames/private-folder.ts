import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names state the machine and the process, so that a later process recognizes the folders of one that was killed. */
const PREFIX = 'svc-blob-frame';
/** Folders that are older belong to no running job. */
const MAX_AGE_MS = 3_600_000;

const machine = hostname().replace(/[^\w.]/g, '_');

/** Runs work with a new folder that only this user can read. Deletes it afterwards. */
export async function withPrivateFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}-${machine}-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Deletes the folders of processes that were killed. Folders of other machines or containers must be an hour old. */
export async function sweepPrivateFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, machineOfFolder, pid] = /^svc-blob-frame-(.+)-(\d+)-\w+$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) continue;
    const isDead = machineOfFolder === machine && !isRunning(Number(pid));
    if (isDead || found.mtimeMs < Date.now() - MAX_AGE_MS) await rm(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
