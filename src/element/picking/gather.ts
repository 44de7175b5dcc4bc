import type { PhotoWish } from '../../images/prepare-image.js';
import type { Chosen } from '../../queue/types.js';
import { filesIn } from './folders.js';
import type { Picked } from './picked.js';
import { prepare } from './prepare.js';

/** Everything of a choice that takes a while: the files of its folders, and photos made ready. Nothing once the signal is aborted. */
export async function gather(
  chosen: readonly Picked[],
  folders: readonly FileSystemEntry[],
  photos: PhotoWish | null,
  signal: AbortSignal,
  withEmpty = false,
): Promise<readonly Chosen[]> {
  const all = folders.length === 0 ? chosen : [...chosen, ...(await filesIn(folders, signal, withEmpty))];
  return photos === null ? all : prepare(all, photos, signal);
}
