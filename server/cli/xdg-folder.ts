import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../src/bulk/node/config/home-folder.js';

/**
 * A folder of the user's own, as a variable names it, else at its usual place below the home directory; undefined where there is none.
 * A relative one is to be ignored. Source: XDG Base Directory Specification, "Environment variables".
 */
export function xdgFolder(variable: 'XDG_STATE_HOME' | 'XDG_CACHE_HOME', ...usual: string[]): string | undefined {
  const stated = process.env[variable];
  if (stated !== undefined && isAbsolute(stated)) return stated;
  const home = homeFolder();
  return home && join(home, ...usual);
}

/** Where Node keeps what it compiled of the commands (`keepCompiled`). */
export function cacheFolder(): string | undefined {
  const caches = xdgFolder('XDG_CACHE_HOME', '.cache');
  return caches && join(caches, 'svc-blob');
}
