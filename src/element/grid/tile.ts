import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { renderThumbnail, renderThumbnailFrame, shortExtension } from '../view/file-icon.js';
import { renderFileName } from '../view/file-name.js';
import { renderProgress, renderRowActions, renderStatus, viewAction } from '../view/row.js';
import type { RowContext, RowPosition } from '../view/row.js';
import { fileIcon } from '../view/row-icons.js';
import { describeStatus } from '../view/row-status.js';
import { MAX_UNWINDOWED_ROWS } from '../view/visible-rows.js';
import { fileKind } from './file-kinds.js';

/** Side of a thumbnail in pixels. Tiles are about 160 CSS pixels wide. */
const tilePixels = (): number => (devicePixelRatio > 1 ? 360 : 240);

/** Renders one file of the grid: a large thumbnail with the actions on it, name and status below. */
export function renderTile(item: UploadItem, place: RowPosition, context: RowContext): TemplateResult {
  const status = describeStatus(item, context);
  return html`<li
    part="file"
    class="tile ${status.tone}"
    data-id=${item.id}
    tabindex="-1"
    aria-posinset=${place.index + 1}
    aria-setsize=${place.count}
  >
    ${renderPicture(item, place, context)}
    <div class="words">${renderFileName(item)}${renderStatus(status)}</div>
    ${renderRowActions(item, status, context, place.tabbable)}
    ${context.fields?.render(item, context.readOnly, place.count > MAX_UNWINDOWED_ROWS) ?? nothing}
    ${renderProgress(item, status)}
  </li>`;
}

/** Renders the extension on a sheet in the color of the kind of file, covered by a thumbnail if the file has one. */
const renderPicture = (item: UploadItem, { tabbable }: RowPosition, context: RowContext): TemplateResult =>
  renderThumbnailFrame(
    'picture',
    html`${renderThumbnail(item, 'tile', tilePixels(), context.storedImageOf)}
      <span class="paper ${fileKind(item.name)}">${shortExtension(item) ?? fileIcon}</span>`,
    viewAction(item, context, tabbable),
  );
