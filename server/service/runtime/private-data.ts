import { access, chmod, constants, mkdir, open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Permission bits of the group and of other users. */
const OTHERS_BITS = 0o077;
const WRITABLE_BY_EVERYBODY = 0o002;
const STICKY = 0o1000;

/** Files that SQLite would create with the permissions of the umask. It gives `-wal` and `-shm` those of their database. */
const DATABASE_NAMES = ['metadata.db', 'serve.lock'];
const FILE_NAMES = [...DATABASE_NAMES, 'metadata.db-wal', 'metadata.db-shm', 'metadata.db-reserve', 'secret.key', 'setup-link'];
const FOLDER_NAMES = ['blobs'];
/** Entries of a directory that belongs to the service alone. Every ext4 volume has `lost+found`. */
const OWN_ENTRIES = new Set([...FILE_NAMES, ...FOLDER_NAMES, 'secret.key.damaged', 'serve.lock-journal', 'lost+found']);

/**
 * Creates a data directory, or makes an existing one private to the service's user: files 0600, folders 0700. The mode of the directory itself
 * stays if it contains other entries, because these may be meant for other users.
 * @param warn receives one message about the changed permissions, and one about permissions that the caller must change.
 * @param options.databases whether SQLite's files are created, so that they are private from the start.
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
  const madePrivate: string[] = [];
  const hasOnlyOwnEntries = (await readdir(dataDir)).every((name) => OWN_ENTRIES.has(name));
  const folder = await stat(dataDir);
  const isOpenToOthers = (folder.mode & OTHERS_BITS) !== 0;
  if (isOpenToOthers && hasOnlyOwnEntries && folder.uid === process.getuid!()) {
    await chmod(dataDir, folder.mode & ~OTHERS_BITS & 0o7777);
    madePrivate.push(resolve(dataDir));
  } else if ((folder.mode & WRITABLE_BY_EVERYBODY) !== 0 && (folder.mode & STICKY) === 0) {
    warn(`every user of this machine may replace files in ${resolve(dataDir)}. Run: chmod o-w ${resolve(dataDir)}`);
  }
  for (const name of [...FILE_NAMES, ...FOLDER_NAMES]) {
    const path = join(dataDir, name);
    if (await makePrivate(path, FOLDER_NAMES.includes(name))) madePrivate.push(resolve(path));
  }
  if (databases) for (const name of DATABASE_NAMES) await createEmpty(join(dataDir, name));
  if (madePrivate.length > 0) warn(`other users had access to ${madePrivate.join(', ')}; these are private now`);
}

/** Removes the permissions of other users. @returns whether there were any. */
async function makePrivate(path: string, isFolder: boolean): Promise<boolean> {
  try {
    await access(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
    const { mode } = await stat(path);
    if ((mode & OTHERS_BITS) === 0) return false;
    await chmod(path, mode & ~OTHERS_BITS & 0o7777);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    const reason = code === 'EPERM' || code === 'EACCES' ? 'it must belong to the user that runs the service' : code;
    throw new Error(`${resolve(path)} cannot be read, written and made private: ${reason}`, { cause });
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
