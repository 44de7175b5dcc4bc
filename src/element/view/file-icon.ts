import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { extensionOf } from '../../protocol/file-names.js';
import { icons } from './icons.js';
import { THUMBNAIL_PIXELS, thumbnail } from './thumbnail.js';

const MAX_PICTURE_BYTES = 40_000_000;

/** What the browser can decode to a small picture. */
const hasThumbnail = ({ file, type, size }: UploadItem): boolean =>
  file !== null && size <= MAX_PICTURE_BYTES && /^image\/(jpeg|png|gif|webp|avif|bmp)$/.test(type);

/** The square at a row's start: the file's ending, and over it a small picture where there is one. */
export function renderFileIcon(item: UploadItem): TemplateResult {
  const extension = extensionOf(item.name);
  const short = extension !== '' && extension.length <= 4;
  return html`<span part="thumbnail" class="glyph" aria-hidden="true">
    ${short ? extension.toUpperCase() : icons.file}
    ${hasThumbnail(item) ? html`<canvas width=${THUMBNAIL_PIXELS} height=${THUMBNAIL_PIXELS} ${thumbnail(item.file!)}></canvas>` : nothing}
  </span>`;
}
