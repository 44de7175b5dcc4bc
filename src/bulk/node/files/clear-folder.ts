import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BEING_WRITTEN } from './walk.js';

/**
 * Removes a directory that holds these files and nothing else but directories, and what downloads left that were cut short.
 * @param files paths from `root`, as `path` is. @returns false where it holds more; then nothing is gone
 */
export function clearFolder(root: string, path: string, files: ReadonlySet<string>, dryRun: boolean): boolean {
  const found: string[] = [];
  const folders: string[] = [];
  const holdsMore = (folder: string): boolean => {
    folders.push(folder);
    return readdirSync(join(root, folder), { withFileTypes: true }).some((entry) => {
      const child = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return holdsMore(child);
      found.push(child);
      return !files.has(child) && !BEING_WRITTEN.test(entry.name);
    });
  };
  if (holdsMore(path)) return false;
  if (dryRun) return true;
  for (const file of found) rmSync(join(root, file));
  // What somebody made in one meanwhile keeps it there.
  for (const folder of folders.toReversed()) rmdirSync(join(root, folder));
  return true;
}
