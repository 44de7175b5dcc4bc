import { access, chmod, constants, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Permission bits of the group and of other users. */
const OTHERS = 0o077;
const WRITABLE_BY_EVERYBODY = 0o002;
const STICKY = 0o1000;

/** Files that SQLite would create with the permissions of the umask. It gives `-wal` and `-shm` those of their database. */
const DATABASES = ['metadata.db', 'serve.lock'];
const FILES = [...DATABASES, 'metadata.db-wal', 'metadata.db-shm', 'metadata.db-reserve', 'secret.key'];
const FOLDERS = ['blobs'];
/** Entries of a directory that belongs to the service alone. Every ext4 volume has `lost+found`. */
const OWN = new Set([...FILES, ...FOLDERS, 'secret.key.damaged', 'serve.lock-journal', 'lost+found']);

/**
 * Creates a data directory, or makes an existing one private to the service's user: files 0600, folders 0700. The mode of the directory itself
 * stays if it contains other entries, because these may be meant for other users.
 * @param warn receives what was changed and what is still open.
 * @throws Error if a file of the service belongs to another user or cannot be written.
 */
export async function preparePrivateData(
  dataDir: string,
  warn: (message: string) => void,
  { databases }: { databases: boolean },
): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Windows has no such permissions.
  if (process.platform === 'win32') return;
  const tightened: string[] = [];
  const ownOnly = (await readdir(dataDir)).every((name) => OWN.has(name));
  const folder = await stat(dataDir);
  const isOpen = (folder.mode & OTHERS) !== 0;
  if (isOpen && ownOnly && folder.uid === process.getuid!()) {
    await chmod(dataDir, folder.mode & ~OTHERS & 0o7777);
    tightened.push(resolve(dataDir));
  } else if ((folder.mode & WRITABLE_BY_EVERYBODY) !== 0 && (folder.mode & STICKY) === 0) {
    warn(
      `every user of this machine may replace files in ${resolve(dataDir)}: take the right to write from the others (chmod o-w)`,
    );
  }
  for (const name of [...FILES, ...FOLDERS]) {
    const path = join(dataDir, name);
    if (await tighten(path, FOLDERS.includes(name))) tightened.push(resolve(path));
  }
  if (databases) for (const name of DATABASES) await createEmpty(join(dataDir, name));
  if (tightened.length > 0) warn(`other users could enter or read ${tightened.join(', ')}; this is now private`);
}

/** Removes the permissions of other users. @returns whether there were any. */
async function tighten(path: string, isFolder: boolean): Promise<boolean> {
  try {
    await access(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
    const { mode } = await stat(path);
    if ((mode & OTHERS) === 0) return false;
    await chmod(path, mode & ~OTHERS & 0o7777);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    const why = code === 'EPERM' || code === 'EACCES' ? 'it must belong to the user that runs this' : code;
    throw new Error(`${resolve(path)} cannot be read, written and made private: ${why}`, { cause });
  }
}

/** Creates an empty file. Does not open an existing one, because closing it would release the locks of SQLite in this process. */
async function createEmpty(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  }
}
