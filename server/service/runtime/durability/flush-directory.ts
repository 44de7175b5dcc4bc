import { open } from 'node:fs/promises';

/** Flushes a directory, so that new and renamed files in it survive a power cut. */
export async function flushDirectory(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
