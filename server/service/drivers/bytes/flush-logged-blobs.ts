import { execFile } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { flushDirectory } from '../../runtime/durability/flush-directory.js';
import { blobFolder, blobPath } from './blob-paths.js';
import { decodeRecords } from './log-records.js';

/** Makes all blobs of some write-ahead logs durable, with their names, so that the logs can be deleted. */
export async function flushLoggedBlobs(logs: readonly string[], dataFolder: string): Promise<void> {
  if (await flushFileSystem(dataFolder)) return;
  const folders = new Set([dataFolder]);
  for (const log of logs)
    for (const [id] of decodeRecords(await readFile(log))) {
      if (await flushFile(blobPath(dataFolder, id))) folders.add(blobFolder(dataFolder, id));
    }
  for (const folder of folders) await flushDirectory(folder);
}

/**
 * Runs sync(1) for syncfs(2), which Node does not offer. It replaces an fsync of each of thousands of files.
 * @returns false if there is no sync(1), as in images that contain nothing but Node.
 */
async function flushFileSystem(folder: string): Promise<boolean> {
  try {
    await promisify(execFile)('sync', ['-f', folder]);
    return true;
  } catch (cause) {
    // The code is a number, the exit status, if the program ran.
    if (typeof (cause as { code?: unknown }).code === 'string') return false;
    throw new Error(`the file system of ${folder} could not be flushed`, { cause });
  }
}

/** @returns false if the file does not exist because its blob was deleted. */
async function flushFile(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
  });
  if (!file) return false;
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
  return true;
}
