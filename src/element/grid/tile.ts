import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { renderThumbnail, renderThumbnailFrame, shortExtension } from '../view/file-icon.js';
import { renderEntry, viewAction } from '../view/row.js';
import type { RowContext, RowPosition } from '../view/row.js';
import { fileIcon } from '../view/row-icons.js';
import { fileKind } from './file-kinds.js';

/** Side of a thumbnail in pixels. Tiles are about 160 CSS pixels wide. */
const tilePixels = (): number => (devicePixelRatio > 1 ? 360 : 240);

/** Renders one file of the grid: a large thumbnail with the actions on it, name and status below. */
export const renderTile = (item: UploadItem, place: RowPosition, context: RowContext): TemplateResult =>
  renderEntry('tile', renderPicture(item, place, context), item, place, context);

/** Renders the extension on a sheet in the color of the kind of file, covered by a thumbnail if the file has one. */
const renderPicture = (item: UploadItem, { tabbable }: RowPosition, context: RowContext): TemplateResult =>
  renderThumbnailFrame(
    'picture',
    html`${renderThumbnail(item, 'tile', tilePixels(), context.storedImageOf)}
      <span class="paper kind-${fileKind(item.name)}">${shortExtension(item) ?? fileIcon}</span>`,
    viewAction(item, context, tabbable),
  );
