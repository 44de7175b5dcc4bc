import type { ImageOptions } from '../../images/prepare-image.js';
import { loadChunk } from '../../queue/load-chunk.js';
import type { Chosen } from '../../queue/types.js';
import type { EditFirstHost } from '../editor/edit-first.js';
import { isEditableType } from '../editor/is-editable.js';
import { readFolders } from './read-folders.js';
import type { PickedFile } from './picked-file.js';
import { prepareImages } from './prepare-images.js';

/**
 * Does the slow steps for chosen files: reads folders and prepares images.
 *
 * @param withEmpty includes empty folders
 * @param host opens the editor if it has `edit-first`
 * @returns an empty list if the signal is aborted
 */
export async function collectFiles(
  chosen: readonly PickedFile[],
  folders: readonly FileSystemEntry[],
  imageOptions: ImageOptions | null,
  signal: AbortSignal,
  withEmpty = false,
  host?: EditFirstHost,
): Promise<readonly Chosen[]> {
  const all = folders.length === 0 ? chosen : [...chosen, ...(await readFolders(folders, signal, withEmpty))];
  const edited = host?.editable && host.editFirst ? await editSingle(all, host, signal) : all;
  return imageOptions === null ? edited : prepareImages(edited, imageOptions, signal);
}

/** Lets the person edit a picture that is chosen alone. Several would be too many dialogs. */
async function editSingle(all: readonly Chosen[], host: EditFirstHost, signal: AbortSignal): Promise<readonly Chosen[]> {
  const [only] = all;
  if (only === undefined || all.length > 1 || !isEditableType(only.file.type)) return all;
  const editFirst = await loadChunk('editFirst', () => import('../editor/edit-first.js'));
  const edited = await editFirst(host, only, signal);
  return edited === undefined ? [] : [edited];
}
