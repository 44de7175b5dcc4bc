import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem, UploadQueue } from '../../queue/types.js';
import type { Localizer } from '../locales/localizer.js';
import type { ListView } from './list-view.js';
import type { RowContext } from './row.js';
import { renderSummary } from './summary.js';

export interface FileAreaContext {
  localizer: Localizer;
  queue: UploadQueue;
  /** Files of the list, without a single file that is shown beside the button. */
  items: readonly UploadItem[];
  list: ListView;
  manual: boolean;
  row: RowContext;
  onCancel: () => void;
  onClear: () => void;
}

/** Files with at least this many bytes show speed, time left and a Pause button. */
const LARGE_BYTES = 20_000_000;

const canRetry = ({ state }: UploadItem): boolean => state.status === 'failed' && state.retryable;

/** Whether a single file gets speed, time left and a Pause button. They keep their place when the file is stored. */
export const hasUploadControls = ({ totals }: UploadQueue, manual: boolean): boolean => manual || totals.bytes >= LARGE_BYTES;

/** Renders the rows, and a summary if there are several files or one large one. */
export function renderFileArea(context: FileAreaContext): TemplateResult {
  const { localizer, queue, items, list, manual, row } = context;
  const { totals, paused, online } = queue;
  const listsAllFiles = items.length === queue.size;
  return html`<div part="files" class="files">
    ${
      listsAllFiles && (items.length > 1 || hasUploadControls(queue, manual))
        ? renderSummary({
            ...context,
            totals,
            paused,
            online,
            readOnly: row.readOnly,
            canRetry: totals.failed > 0 && items.some(canRetry),
            onRetry: () => queue.retry(),
          })
        : nothing
    }
    ${list.render(items, localizer.text('list'), row)}
  </div>`;
}
