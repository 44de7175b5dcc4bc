import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Node's recursive `mkdir` loops if a file system returns ENOENT below an existing folder, as /proc
 * and the roots of automounters do.
 * @throws NodeJS.ErrnoException the error of mkdir(2)
 */
export function makeFolders(folder: string, mode = 0o777): void {
  try {
    makeFolder(folder, mode);
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    makeFolders(above, mode);
    makeFolder(folder, mode);
  }
}

/** Creates a folder. An existing folder is no error, whatever the code: Windows drives do not return EEXIST. */
function makeFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
