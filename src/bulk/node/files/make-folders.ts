import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. Node's own way tries for ever where a file system answers ENOENT below a folder that exists
 * (/proc, the roots of automounters).
 * @throws what mkdir(2) said
 */
export function makeFolders(folder: string, mode = 0o777): void {
  try {
    makeOne(folder, mode);
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    makeFolders(above, mode);
    makeOne(folder, mode);
  }
}

/** One that stands there already is as good, whatever the system says of it: a drive of Windows is no name that is taken. */
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
