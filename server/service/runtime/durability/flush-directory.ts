import { open } from 'node:fs/promises';

/**
 * Flushes a directory, so that new and renamed files in it survive a power cut. `src/bulk/node/journal` has such a function of its own:
 * the only folder that both may import is `src/protocol`, which must not use Node.
 */
export async function flushDirectory(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
