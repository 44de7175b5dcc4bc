import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem, UploadQueue } from '../../engine/types.js';
import type { Words } from '../locale/words.js';
import type { ListView } from './list.js';
import type { RowContext } from './row.js';
import { steering, summary } from './summary.js';

interface QueueContext {
  words: Words;
  queue: UploadQueue;
  manual: boolean;
  onStart: () => void;
}

export interface FilesContext extends QueueContext {
  /** What stands in the list: all files, but for a single one that is shown in the line of the button. */
  items: readonly UploadItem[];
  list: ListView;
  row: RowContext;
  onCancel: () => void;
  onClear: () => void;
}

/** Bytes. */
const LONG = 20_000_000;

const canRetry = ({ state }: UploadItem): boolean => state.status === 'failed' && state.retryable;

/** One file that takes its time has its speed, the time that is left and a way to pause as well. */
const isLong = ({ totals }: UploadQueue): boolean => totals.queued + totals.active > 0 && totals.bytes >= LONG;

const steered = (context: QueueContext) => {
  const { queue } = context;
  const { totals, paused } = queue;
  return { ...context, totals, paused, onPause: () => queue.pause(), onResume: () => queue.resume() };
};

/** What stands beside a single file in its line, where there is no summary. */
export const steerLine = (context: QueueContext): TemplateResult | typeof nothing =>
  context.manual || isLong(context.queue) ? steering(steered(context)) : nothing;

/** The summary of many, or of one that is long on its way, and the rows. */
export function files(context: FilesContext): TemplateResult {
  const { words, queue, items, list, manual, row } = context;
  const { totals, online } = queue;
  const isWhole = items.length === queue.size;
  return html`<div class="files">
    ${
      isWhole && (items.length > 1 || manual || isLong(queue))
        ? summary({
            ...steered(context),
            ...context,
            online,
            readOnly: row.readOnly,
            canRetry: totals.failed > 0 && items.some(canRetry),
            onRetry: () => queue.retry(),
          })
        : nothing
    }
    ${list.render(items, words.say('list'), row)}
  </div>`;
}
