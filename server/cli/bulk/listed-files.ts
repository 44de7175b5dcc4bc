import { accessSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { toS3Error } from '../../../src/bulk/errors.js';
import { fileSource, skippedLink } from '../../../src/bulk/node/files/file-source.js';
import type { WalkOptions } from '../../../src/bulk/node/files/walk.js';
import type { SourceFile } from '../../../src/bulk/types.js';
import { isDirectory } from './locations.js';
import { pathBelow, readNames, rejectOutside } from './name-list.js';
import type { NameList } from './name-list.js';

/** Options to find the files of a list. */
export type FindOptions = Pick<WalkOptions, 'symlinks' | 'skippedLinks' | 'passedOver'>;

/**
 * Yields the files of a list below a directory. An entry that cannot be read yields a file with a `problem`.
 * @param matches selects the paths to yield
 */
export async function* findListedFiles(
  list: NameList,
  root: string,
  options: FindOptions,
  matches: (path: string) => boolean,
): AsyncGenerator<SourceFile> {
  const findFile = makeFileFinder(root, options);
  for await (const entry of readNames(list, () => true)) {
    const path = pathBelow(root, entry);
    if (!matches(path)) continue;
    try {
      rejectOutside(path, entry, root);
      const found = findFile(path);
      if (found === undefined) continue;
      // A list may repeat a name.
      const { unique: _, ...file } = found;
      yield file;
    } catch (error) {
      yield { path, size: 0, problem: toS3Error(error) };
    }
  }
}

/**
 * Yields the files that exist. If the directory itself is missing, it yields a problem: its disk may be unmounted, so the absence of
 * its files proves nothing.
 */
export function* findExistingFiles(paths: Iterable<string>, root: string, options: FindOptions): Generator<SourceFile> {
  try {
    accessSync(join(root, '/'));
  } catch (error) {
    yield { path: root, size: 0, unique: true, problem: toS3Error(error) };
    return;
  }
  const findFile = makeFileFinder(root, options);
  for (const path of paths)
    try {
      const file = findFile(path);
      if (file !== undefined) yield file;
    } catch (error) {
      const problem = toS3Error(error);
      // A link may lead to an unmounted disk, so a missing file behind a link may still exist.
      const isGone = isMissing(problem.cause) && !leadsThroughLink(root, path);
      if (!isGone) yield { path, size: 0, unique: true, problem };
    }
}

/** `ENOTDIR` means that a file has replaced the directory of the path. */
const isMissing = (cause: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');

/**
 * Returns a function that finds files as `walk` does. It returns undefined for skipped links and for directories, which `find` lists
 * beside their files. It checks successive files of a directory for links once.
 */
function makeFileFinder(
  root: string,
  { symlinks, skippedLinks, passedOver }: FindOptions,
): (path: string) => SourceFile | undefined {
  let checkedFolder = '';
  let isFolderLinked = false;
  return (path) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder !== checkedFolder) isFolderLinked = folder !== '' && leadsThroughLink(root, folder);
    checkedFolder = folder;
    const fullPath = join(root, path);
    if (symlinks === 'skip' && (isFolderLinked || isLink(fullPath))) return skippedLinks ? skippedLink(path) : undefined;
    try {
      const file = fileSource(fullPath, path);
      return isFolderLinked ? { ...file, linked: true } : file;
    } catch (error) {
      if (!isDirectory(fullPath)) throw error;
      passedOver?.(path);
      return undefined;
    }
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // The path does not exist.
    return false;
  }
}

/** Returns whether a path below `root` or one of its folders is a symbolic link. */
function leadsThroughLink(root: string, path: string): boolean {
  let parent = root;
  return path.split('/').some((segment) => isLink((parent = join(parent, segment))));
}
