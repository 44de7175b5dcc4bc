import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { getExtension } from '../../protocol/extensions.js';
import type { PreviewSize } from '../../protocol/limits.js';
import type { FileRecord } from '../../protocol/types.js';
import type { ImageSource } from './draw-thumbnail.js';
import { fileIcon } from './row-icons.js';
import { THUMBNAIL_PIXELS, thumbnail } from './thumbnail.js';

/** Decoding larger files would take too much memory. */
const MAX_THUMBNAIL_BYTES = 40_000_000;

/** Returns the image of a stored file in a size. */
export type StoredImageOf = (record: FileRecord, size: PreviewSize) => ImageSource;

/** Returns whether the browser can decode the file to a thumbnail. */
const isImage = ({ type }: UploadItem): boolean => /^image\/(jpeg|png|gif|webp|avif|bmp)$/.test(type);

/** Returns the image of a chosen file, or of a stored one whose bytes are not in the page; undefined if it has no thumbnail. */
function imageOf(item: UploadItem, size: PreviewSize, storedImageOf: StoredImageOf | undefined): ImageSource | undefined {
  if (!isImage(item)) return undefined;
  if (item.file !== null) return item.size <= MAX_THUMBNAIL_BYTES ? item.file : undefined;
  return item.state.status === 'done' ? storedImageOf?.(item.state.file, size) : undefined;
}

/** Returns whether a file can be shown large: a picture whose bytes, or a link to them, are in the page. */
export function canView(item: UploadItem, storedImageOf: StoredImageOf | undefined): boolean {
  if (!isImage(item) && item.type !== 'image/svg+xml') return false;
  if (item.file !== null) return true;
  return item.state.status === 'done' && ((isImage(item) && storedImageOf !== undefined) || Boolean(item.state.file.url));
}

/** Returns the extension of a file that is short enough for its icon; undefined for others. */
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
  size: PreviewSize,
  pixels: number,
  storedImageOf?: StoredImageOf,
): TemplateResult | typeof nothing {
  const image = imageOf(item, size, storedImageOf);
  return image ? html`<canvas width=${pixels} height=${pixels} ${thumbnail(image)}></canvas>` : nothing;
}

/** A thumbnail that can be pressed to see the picture large. */
export interface ViewAction {
  /** Accessible name of the button. */
  label: string;
  tabbable: boolean;
  act: () => void;
}

/** Renders the frame of a thumbnail; a button if the picture can be seen large. */
export const renderThumbnailFrame = (className: string, content: TemplateResult, view: ViewAction | undefined): TemplateResult =>
  view === undefined
    ? html`<span part="thumbnail" class=${className} aria-hidden="true">${content}</span>`
    : html`<button
        part="thumbnail"
        class="${className} view"
        type="button"
        tabindex=${view.tabbable ? nothing : -1}
        aria-label=${view.label}
        @click=${view.act}
      >
        ${content}
      </button>`;

/** Renders the square at the start of a row: the extension, covered by a thumbnail if the file has one. */
export const renderFileIcon = (item: UploadItem, storedImageOf?: StoredImageOf, view?: ViewAction): TemplateResult =>
  renderThumbnailFrame(
    'glyph',
    html`${shortExtension(item) ?? fileIcon} ${renderThumbnail(item, 'row', THUMBNAIL_PIXELS, storedImageOf)}`,
    view,
  );
