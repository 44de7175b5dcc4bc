import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { BlobError } from '../../protocol/errors.js';
import type { Totals, UploadQueue } from '../../queue/types.js';
import { formatDuration } from '../locales/format-time.js';
import type { Localizer } from '../locales/localizer.js';
import { problemIcon } from './icons.js';
import { isOutage, retryingText } from './row-status.js';

export interface SummaryContext {
  localizer: Localizer;
  queue: UploadQueue;
  totals: Readonly<Totals>;
  paused: boolean;
  online: boolean;
  manual: boolean;
  readOnly: boolean;
  /** Removing an uploaded file deletes it. */
  deletesFiles: boolean;
  /** Current time as `Date.now()`. */
  now: number;
  /** The error of all failed and refused files; '' if the rows show their own. */
  sharedError: string;
  /** At least one failed file can be retried. */
  canRetry: boolean;
  /** The upload of at least one file was not started yet, because the person fills in its fields. */
  hasHeld: boolean;
  /** Required fields of at least one file have to be filled in before its upload. */
  hasUnfilled: boolean;
  /** Number of refused files in the list, with duplicates. */
  refused: number;
  onCancel: () => void;
  onClear: () => void;
  onRemoveFailed: () => void;
  onDismiss: () => void;
}

/** Files with at least this many bytes show speed, time left and a Pause button. */
const LARGE_BYTES = 20_000_000;

/** Returns whether a single file gets speed, time left and a Pause button. They keep their place when the file is stored. */
export const hasUploadControls = ({ totals }: UploadQueue, manual: boolean): boolean => manual || totals.bytes >= LARGE_BYTES;

const SEPARATOR = ' · ';

/** Returns whether files wait or are sent. */
export const isBusy = ({ queued, active }: Readonly<Totals>): boolean => queued + active > 0;

interface NextAttempt {
  /** A `Date.now()` time; 0 while the attempt runs. */
  at: number;
  /** The error of the last attempt. */
  error: BlobError;
}

/** Returns the next attempt, or the running one, while no file gets through; undefined otherwise. */
function findNextAttempt({ queue, totals, paused, online }: SummaryContext): NextAttempt | undefined {
  if (paused || !online || !isBusy(totals)) return undefined;
  let next: NextAttempt | undefined;
  let queuedError: BlobError | undefined;
  for (const { state, retriedError } of queue.items) {
    if (retriedError === undefined) {
      if (state.status === 'uploading' && state.phase !== 'token') return undefined;
      continue;
    }
    if (state.status === 'queued') {
      queuedError = retriedError;
      continue;
    }
    const at = state.status === 'waiting' ? state.retryAt! : 0;
    if (next === undefined || at < next.at) next = { at, error: retriedError };
  }
  return next ?? (queuedError && { at: 0, error: queuedError });
}

/** The two lines of the summary. */
interface SummaryLines {
  title: string;
  details: string[];
}

/** Describes all files: `12 of 300 · 45%` and `3.1 MB of 6.8 MB · 2 minutes left · 4.1 MB/s`. */
function describeFiles(context: SummaryContext, nextAttempt: NextAttempt | undefined): SummaryLines {
  const { localizer, totals, paused, online, manual, sharedError, now } = context;
  const { files, done, failed, rejected, queued, active, finishing, sent, bytes, unknownSizes, speed, secondsLeft } = totals;
  const refusedOrFailed = failed + rejected;
  const notUploaded = refusedOrFailed > 0 ? [localizer.text('filesNotUploaded', { count: refusedOrFailed })] : [];
  if (!isBusy(totals)) {
    const uploaded = done > 0 ? [localizer.text('filesUploaded', { count: done })] : [];
    return { title: [...uploaded, ...notUploaded].join(SEPARATOR), details: sharedError === '' ? [] : [sharedError] };
  }
  const size = localizer.size(bytes);
  if (manual && active === 0 && done === 0)
    return {
      title: context.hasUnfilled ? localizer.text('fillIn') : localizer.text('filesReady', { count: queued }),
      details: [...(bytes > 0 ? [size] : []), ...notUploaded],
    };
  // The service stores the files of a batch together, so a file counts when its bytes are sent.
  const count = localizer.text('doneOfTotal', { done: done + finishing, total: files });
  const title = unknownSizes > 0 ? count : `${count}${SEPARATOR}${localizer.percent(bytes === 0 ? 0 : sent / bytes)}`;
  if (paused) return { title, details: [localizer.text('paused'), ...notUploaded] };
  if (!online) return { title, details: [localizer.text('offline')] };
  if (nextAttempt !== undefined) {
    const retrying = retryingText(localizer, nextAttempt.at, now);
    return isOutage(nextAttempt.error)
      ? { title: localizer.text('serviceUnreachable'), details: [retrying, count] }
      : { title, details: [retrying, ...notUploaded] };
  }
  const sentSize = localizer.size(sent);
  const details = [unknownSizes > 0 ? sentSize : localizer.text('sentOfSize', { sent: sentSize, size })];
  if (secondsLeft !== null) details.push(localizer.text('timeLeft', { time: formatDuration(localizer, secondsLeft) }));
  if (speed !== null && speed >= 1) details.push(localizer.speed(speed));
  return { title, details: [...notUploaded, ...details] };
}

const renderTextButton = (text: string, act: () => void, isPrimary = false): TemplateResult =>
  html`<button part="summary-button" class="plain ${isPrimary ? 'primary' : ''}" type="button" @click=${act}>${text}</button>`;

/**
 * Renders the button that starts, pauses or resumes the upload.
 * @param hasHeld files are being sent, and others can be started
 */
export function renderUploadControls(
  localizer: Localizer,
  queue: UploadQueue,
  manual: boolean,
  hasHeld = false,
): TemplateResult | typeof nothing {
  const { totals, paused } = queue;
  if (!isBusy(totals)) return nothing;
  if (paused) return renderTextButton(localizer.text('resumeAll'), () => queue.resume());
  const start = renderTextButton(localizer.text('uploadAll'), () => queue.start(), true);
  if (manual && totals.active === 0) return start;
  const pause = renderTextButton(localizer.text('pauseAll'), () => queue.pause());
  // The same button with another text keeps the focus.
  return hasHeld ? html`${start} ${pause}` : pause;
}

/**
 * Renders the actions for all files. While some are not uploaded, the buttons that remove failed files and dismiss refused ones leave
 * all others.
 */
function renderSummaryActions(context: SummaryContext, isWaiting: boolean): TemplateResult {
  const { localizer, queue, totals, manual, canRetry, refused } = context;
  const retry = renderTextButton(localizer.text('retryAll'), () => queue.retry());
  // A single refused file has a Dismiss button in its row.
  const dismiss = refused > 1 ? renderTextButton(localizer.text('dismiss'), context.onDismiss) : nothing;
  if (isBusy(totals))
    return html`${dismiss} ${isWaiting ? retry : renderUploadControls(localizer, queue, manual, context.hasHeld)}
    ${renderTextButton(localizer.text('cancelAll'), context.onCancel)}`;
  if (totals.failed > 0)
    return html`${dismiss} ${canRetry ? retry : nothing}
    ${renderTextButton(localizer.text('removeFailed'), context.onRemoveFailed)}`;
  return refused > 0
    ? html`${dismiss}`
    : renderTextButton(localizer.text(context.deletesFiles ? 'deleteAll' : 'clearAll'), context.onClear);
}

/** Renders the bar of all files. It moves without a value while a size is unknown, and stands still while nothing is sent. */
function renderTotalProgress({ totals, paused, online }: SummaryContext, isWaiting: boolean): TemplateResult {
  const { sent, bytes, unknownSizes } = totals;
  if (unknownSizes > 0 && totals.active > 0 && !paused && online && !isWaiting)
    return html`<progress part="progress" class="all" aria-hidden="true"></progress>`;
  const value = bytes === 0 ? 0 : Math.min(1, sent / bytes);
  return html`<progress part="progress" class="all" max="1" .value=${value} aria-hidden="true"></progress>`;
}

/** Renders the row about all files, with the actions for all of them. */
export function renderSummary(context: SummaryContext): TemplateResult {
  const { totals, readOnly } = context;
  const nextAttempt = findNextAttempt(context);
  const { title, details } = describeFiles(context, nextAttempt);
  const isProblem = nextAttempt === undefined ? context.sharedError !== '' : isOutage(nextAttempt.error);
  return html`<div part="summary" class="summary ${isBusy(totals) ? 'busy' : ''} ${isProblem ? 'problem' : ''}">
    <div class="summary-text">
      <span class="summary-title">${isProblem ? problemIcon : nothing}<span>${title}</span></span>
      ${details.length === 0 ? nothing : html`<span class="summary-details">${details.join(SEPARATOR)}</span>`}
    </div>
    ${readOnly ? nothing : html`<div class="actions">${renderSummaryActions(context, nextAttempt !== undefined)}</div>`}
    ${isBusy(totals) ? renderTotalProgress(context, nextAttempt !== undefined) : nothing}
  </div>`;
}
