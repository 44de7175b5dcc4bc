import { lstatSync, mkdirSync } from 'node:fs';
import { cacheFolder } from './xdg-folder.js';

/** Written to by others than its owner. */
const SHARED = 0o022;

/**
 * Lets Node keep what it compiles, which is a fifth of a short command's time, in the user's own cache (`XDG_CACHE_HOME/svc-blob`): in
 * the folder for temporary files, which is where Node would put it, somebody else could lay code for us to run. Where there can be no
 * folder of our own, and before Node 22, nothing is kept. Source: https://nodejs.org/api/module.html#module-compile-cache
 */
export function keepCompiled(): void {
  // @types/node is that of Node 20, which has none.
  const module = process.getBuiltinModule('node:module') as { enableCompileCache?: (folder: string) => unknown };
  if (module.enableCompileCache === undefined) return;
  const folder = cacheFolder();
  if (folder && isOurs(folder)) module.enableCompileCache(folder);
}

/** Makes it where it is not there. */
function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    if (process.getuid === undefined) return stat.isDirectory();
    return stat.isDirectory() && stat.uid === process.getuid() && (stat.mode & SHARED) === 0;
  } catch {
    return false;
  }
}
