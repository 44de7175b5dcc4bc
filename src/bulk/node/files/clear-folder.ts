import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TEMPORARY_NAME } from './temporary-name.js';

/**
 * Removes a directory if it contains only the given files, directories, and temporary files of interrupted downloads.
 * @param files paths relative to `root`, as `path` is
 * @returns false if it contains other files; then nothing is removed
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
      return !files.has(child) && !TEMPORARY_NAME.test(entry.name);
    });
  };
  if (holdsMore(path)) return false;
  if (dryRun) return true;
  for (const file of found) rmSync(join(root, file));
  // A file that appeared meanwhile keeps its folder.
  for (const folder of folders.toReversed()) rmdirSync(join(root, folder));
  return true;
}
