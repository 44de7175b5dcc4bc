import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { getExtension } from '../../protocol/extensions.js';
import type { FileRecord } from '../../protocol/types.js';
import type { ImageSource } from './draw-thumbnail.js';
import { fileIcon } from './row-icons.js';
import { THUMBNAIL_PIXELS, thumbnail } from './thumbnail.js';

/** Decoding larger files would take too much memory. */
const MAX_THUMBNAIL_BYTES = 40_000_000;

/** Returns the image of a stored file. */
export type StoredImageOf = (record: FileRecord) => ImageSource;

/** Returns whether the browser can decode the file to a thumbnail. */
const isImage = ({ type }: UploadItem): boolean => /^image\/(jpeg|png|gif|webp|avif|bmp)$/.test(type);

/** Returns the image of a chosen file, or of a stored one whose bytes are not in the page; undefined if it has no thumbnail. */
function imageOf(item: UploadItem, storedImageOf: StoredImageOf | undefined): ImageSource | undefined {
  if (!isImage(item)) return undefined;
  if (item.file !== null) return item.size <= MAX_THUMBNAIL_BYTES ? item.file : undefined;
  return item.state.status === 'done' ? storedImageOf?.(item.state.file) : undefined;
}

/** The extension of a file that is short enough for its icon; undefined for others. */
export function shortExtension(item: UploadItem): string | undefined {
  const extension = getExtension(item.name);
  return extension !== '' && extension.length <= 4 ? extension.toUpperCase() : undefined;
}

/**
 * Renders the thumbnail of a file that has one.
 *
 * @param pixels its side
 * @param storedImageOf returns the images of stored files, if the page wants them
 */
export function renderThumbnail(
  item: UploadItem,
  pixels: number,
  storedImageOf?: StoredImageOf,
): TemplateResult | typeof nothing {
  const image = imageOf(item, storedImageOf);
  return image ? html`<canvas width=${pixels} height=${pixels} ${thumbnail(image)}></canvas>` : nothing;
}

/** Renders the square at the start of a row: the extension, covered by a thumbnail if the file has one. */
export const renderFileIcon = (item: UploadItem, storedImageOf?: StoredImageOf): TemplateResult =>
  html`<span part="thumbnail" class="glyph" aria-hidden="true">
    ${shortExtension(item) ?? fileIcon} ${renderThumbnail(item, THUMBNAIL_PIXELS, storedImageOf)}
  </span>`;
