import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { getExtension } from '../../protocol/extensions.js';
import { fileIcon } from './row-icons.js';
import { THUMBNAIL_PIXELS, thumbnail } from './thumbnail.js';

/** Decoding larger files would take too much memory. */
const MAX_THUMBNAIL_BYTES = 40_000_000;

/** Returns whether the browser can decode the file to a thumbnail. */
const hasThumbnail = ({ file, type, size }: UploadItem): boolean =>
  file !== null && size <= MAX_THUMBNAIL_BYTES && /^image\/(jpeg|png|gif|webp|avif|bmp)$/.test(type);

/** Renders the square at the start of a row: the extension, covered by a thumbnail if the file has one. */
export function renderFileIcon(item: UploadItem): TemplateResult {
  const extension = getExtension(item.name);
  const isShort = extension !== '' && extension.length <= 4;
  return html`<span part="thumbnail" class="glyph" aria-hidden="true">
    ${isShort ? extension.toUpperCase() : fileIcon}
    ${hasThumbnail(item) ? html`<canvas width=${THUMBNAIL_PIXELS} height=${THUMBNAIL_PIXELS} ${thumbnail(item.file!)}></canvas>` : nothing}
  </span>`;
}
