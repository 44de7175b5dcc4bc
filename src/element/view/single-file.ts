import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem, UploadQueue } from '../../queue/types.js';
import { renderFileName } from './file-name.js';
import { renderProgress, renderRowActions, renderStatus } from './row.js';
import type { RowContext } from './row.js';
import { describeStatus } from './row-status.js';
import { hasUploadControls, renderUploadControls } from './summary.js';

export interface SingleFileContext {
  item: UploadItem;
  queue: UploadQueue;
  manual: boolean;
  /** Files are dragged over the element, which shows a text instead. */
  dragging: boolean;
  row: RowContext;
}

/** Renders the single file beside the button of the `inline` appearance, with its actions. */
export function renderSingleFile({ item, queue, manual, dragging, row }: SingleFileContext): TemplateResult {
  const status = describeStatus(item, row);
  const hasControls = !row.readOnly && hasUploadControls(queue, manual);
  return html`<div class="chosen" ?hidden=${dragging}>
      <div part="file" class="beside one ${status.tone}">
        <div class="words">${renderFileName(item)}${renderStatus(status)}</div>
      </div>
      ${hasControls ? renderUploadControls(row.localizer, queue, manual) : nothing} ${renderRowActions(item, status, row)}
    </div>
    ${renderProgress(item, status)}`;
}
