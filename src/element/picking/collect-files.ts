import type { ImageOptions } from '../../images/prepare-image.js';
import type { Chosen } from '../../queue/types.js';
import { readFolders } from './read-folders.js';
import type { PickedFile } from './picked-file.js';
import { prepareImages } from './prepare-images.js';

/**
 * Does the slow steps for chosen files: reads folders and prepares images.
 *
 * @param withEmpty includes empty folders
 * @returns an empty list if the signal is aborted
 */
export async function collectFiles(
  chosen: readonly PickedFile[],
  folders: readonly FileSystemEntry[],
  imageOptions: ImageOptions | null,
  signal: AbortSignal,
  withEmpty = false,
): Promise<readonly Chosen[]> {
  const all = folders.length === 0 ? chosen : [...chosen, ...(await readFolders(folders, signal, withEmpty))];
  return imageOptions === null ? all : prepareImages(all, imageOptions, signal);
}
