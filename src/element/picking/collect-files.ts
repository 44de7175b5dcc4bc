import type { ImageOptions } from '../../images/prepare-image.js';
import type { Chosen } from '../../queue/types.js';
import { readFolders } from './read-folders.js';
import type { PickedFile } from './picked-file.js';
import { prepareImages } from './prepare-images.js';

/** Everything of a choice that takes a while: the files of its folders, and photos made ready. Nothing once the signal is aborted. */
export async function collectFiles(
  chosen: readonly PickedFile[],
  folders: readonly FileSystemEntry[],
  photos: ImageOptions | null,
  signal: AbortSignal,
  withEmpty = false,
): Promise<readonly Chosen[]> {
  const all = folders.length === 0 ? chosen : [...chosen, ...(await readFolders(folders, signal, withEmpty))];
  return photos === null ? all : prepareImages(all, photos, signal);
}
