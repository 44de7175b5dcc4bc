import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Totals, UploadQueue } from '../../queue/types.js';
import type { Localizer } from '../locales/localizer.js';

export interface SummaryContext {
  localizer: Localizer;
  queue: UploadQueue;
  totals: Readonly<Totals>;
  paused: boolean;
  online: boolean;
  manual: boolean;
  readOnly: boolean;
  /** At least one failed file can be retried. */
  canRetry: boolean;
  onCancel: () => void;
  onRetry: () => void;
  onClear: () => void;
}

/** Files with at least this many bytes show speed, time left and a Pause button. */
const LARGE_BYTES = 20_000_000;

/** Whether a single file gets speed, time left and a Pause button. They keep their place when the file is stored. */
export const hasUploadControls = ({ totals }: UploadQueue, manual: boolean): boolean => manual || totals.bytes >= LARGE_BYTES;

const SEPARATOR = ' · ';

/** Renders a text such as "12 of 300 · 4.1 MB/s · 2 minutes left". */
function summaryText({ localizer, totals, paused, online, manual }: SummaryContext): TemplateResult {
  const { files, rejected, done, failed, queued, active, speed, secondsLeft } = totals;
  const notUploaded = failed + rejected;
  const parts: string[] = [];
  let count = '';
  if (queued + active === 0) {
    if (done > 0) parts.push(localizer.text('filesUploaded', { count: done }));
  } else if (manual && active === 0 && done === 0) parts.push(localizer.text('filesReady', { count: queued }));
  else {
    count = localizer.text('doneOfTotal', { done, total: files });
    if (paused) parts.push(localizer.text('paused'));
    else if (!online) parts.push(localizer.text('offline'));
    else {
      if (speed !== null && speed >= 1) parts.push(localizer.speed(speed));
      if (secondsLeft !== null) parts.push(localizer.text('timeLeft', { time: localizer.duration(secondsLeft) }));
    }
  }
  if (notUploaded > 0) parts.push(localizer.text('filesNotUploaded', { count: notUploaded }));
  const details = parts.join(SEPARATOR);
  return html`<span class="summary-text ${online ? '' : 'offline'}"
    ><span class="count">${count}${count === '' || details === '' ? '' : SEPARATOR}</span>${details}</span
  >`;
}

const renderTextButton = (text: string, act: () => void): TemplateResult =>
  html`<button part="summary-button" class="plain" type="button" @click=${act}>${text}</button>`;

/** Renders the button that starts, pauses or resumes the upload. */
export function renderUploadControls(localizer: Localizer, queue: UploadQueue, manual: boolean): TemplateResult | typeof nothing {
  const { totals, paused } = queue;
  if (totals.queued + totals.active === 0) return nothing;
  if (paused) return renderTextButton(localizer.text('resumeAll'), () => queue.resume());
  return manual && totals.active === 0
    ? renderTextButton(localizer.text('uploadAll'), () => queue.start())
    : renderTextButton(localizer.text('pauseAll'), () => queue.pause());
}

/** Renders the row about all files, with the actions for all of them. */
export function renderSummary(context: SummaryContext): TemplateResult {
  const { localizer, queue, totals, manual, readOnly, canRetry } = context;
  const isBusy = totals.queued + totals.active > 0;
  return html`<div part="summary" class="summary ${isBusy ? 'busy' : ''}">
    ${summaryText(context)}
    ${
      readOnly
        ? nothing
        : html`<div class="actions">
            ${renderUploadControls(localizer, queue, manual)}
            ${!isBusy && canRetry ? renderTextButton(localizer.text('retryAll'), context.onRetry) : nothing}
            ${isBusy ? renderTextButton(localizer.text('cancelAll'), context.onCancel) : renderTextButton(localizer.text('clearAll'), context.onClear)}
          </div>`
    }
    ${
      isBusy
        ? html`<progress
            part="progress"
            class="all"
            max="1"
            .value=${totals.bytes === 0 ? 0 : totals.sent / totals.bytes}
            aria-hidden="true"
          ></progress>`
        : nothing
    }
  </div>`;
}
