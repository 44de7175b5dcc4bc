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
  /** What stands in the list: all files, but for a single one that is shown in the line of the button. */
  items: readonly UploadItem[];
  list: ListView;
  manual: boolean;
  row: RowContext;
  onCancel: () => void;
  onClear: () => void;
}

/** Bytes. */
const LONG = 20_000_000;

const canRetry = ({ state }: UploadItem): boolean => state.status === 'failed' && state.retryable;

/** One file that takes its time has its speed, the time that is left and a way to pause as well, and keeps their place when it is done. */
export const hasUploadControls = ({ totals }: UploadQueue, manual: boolean): boolean => manual || totals.bytes >= LONG;

/** The summary of many, or of one that is long on its way, and the rows. */
export function renderFileArea(context: FileAreaContext): TemplateResult {
  const { localizer, queue, items, list, manual, row } = context;
  const { totals, paused, online } = queue;
  const isWhole = items.length === queue.size;
  return html`<div part="files" class="files">
    ${
      isWhole && (items.length > 1 || hasUploadControls(queue, manual))
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
