import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Flushes a directory to disk. Without it, the name of a new or renamed file can be lost in a power cut, even if its bytes are flushed.
 * The service has such a function of its own (`server/service/runtime/durability`): the only folder that both may import is
 * `src/protocol`, which must not use Node.
 */
export function flushDirectory(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } catch {
    // Windows cannot flush directories.
  } finally {
    closeSync(fd);
  }
}
