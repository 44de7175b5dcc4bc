import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem, UploadQueue } from '../../queue/types.js';
import { fileStyles } from '../styles/file-styles.js';
import { Clock } from './clock.js';
import { ListView } from './list-view.js';
import type { ListHost } from './list-view.js';
import type { RowContext } from './row.js';
import { renderSingleFile } from './single-file.js';
import type { SingleFileContext } from './single-file.js';
import { hasUploadControls, renderSummary } from './summary.js';

export interface FileAreaContext {
  queue: UploadQueue;
  /** Files of the list, without a single file that is shown beside the button. */
  items: readonly UploadItem[];
  manual: boolean;
  row: RowContext;
  onCancel: () => void;
  onClear: () => void;
}

const canRetry = ({ state }: UploadItem): boolean => state.status === 'failed' && state.retryable;

/** Renders the chosen files of one element. Pages load this module and all it imports with the first file, see `lazy-part.ts`. */
export class FileArea {
  /** The element adds these styles to its own. */
  readonly styles = fileStyles;
  readonly #list: ListView;

  constructor(host: ListHost & HTMLElement) {
    this.#list = new ListView(host);
    host.addController(new Clock(host));
  }

  /** Renders the rows, and a summary if there are several files or one large one. */
  render(context: FileAreaContext): TemplateResult {
    const { items, row } = context;
    return html`<div part="files" class="files">
      ${this.#hasSummary(context) ? this.#renderSummary(context) : nothing}
      ${this.#list.render(items, row.localizer.text('list'), row)}
    </div>`;
  }

  /** Renders the file beside the button of the `inline` appearance. */
  renderSingleFile(context: SingleFileContext): TemplateResult {
    return renderSingleFile(context);
  }

  /** Scrolls a row into view and focuses one of its buttons. */
  focusRow(index: number, part?: string): Promise<void> {
    return this.#list.focusRow(index, part);
  }

  #hasSummary({ queue, items, manual }: FileAreaContext): boolean {
    const listsAllFiles = items.length === queue.size;
    return listsAllFiles && (items.length > 1 || hasUploadControls(queue, manual));
  }

  #renderSummary({ queue, items, manual, row, onCancel, onClear }: FileAreaContext): TemplateResult {
    const { totals, paused, online } = queue;
    return renderSummary({
      localizer: row.localizer,
      queue,
      totals,
      paused,
      online,
      manual,
      readOnly: row.readOnly,
      canRetry: totals.failed > 0 && items.some(canRetry),
      onCancel,
      onClear,
      onRetry: () => queue.retry(),
    });
  }
}
