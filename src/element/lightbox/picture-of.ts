import type { UploadItem } from '../../queue/types.js';
import { fetchPreview } from '../request-previews.js';
import type { ImageSource } from '../view/draw-thumbnail.js';
import type { StoredImageOf } from '../view/file-icon.js';

/** Returns the picture of a file: its bytes in the page, a link to a stored picture, or its public address. Undefined if there is none. */
export function pictureOf(item: UploadItem, storedImageOf: StoredImageOf | undefined): ImageSource | undefined {
  if (item.file !== null) return item.file;
  if (item.state.status !== 'done') return undefined;
  const { file } = item.state;
  if (storedImageOf !== undefined && item.type !== 'image/svg+xml') return storedImageOf(file, 'screen');
  const url = file.url && URL.canParse(file.url) ? new URL(file.url) : undefined;
  return url && { read: () => fetchPreview(url) };
}
