import { isRetryable } from '../../protocol/error-response.js';
import type { BlobError } from '../../protocol/errors.js';
import type { UploadItem, UploadState } from '../../queue/types.js';
import { errorText, rejectionText } from '../locales/error-messages.js';
import type { ErrorTexts } from '../locales/error-messages.js';
import { formatInSeconds } from '../locales/format-time.js';
import type { Localizer } from '../locales/localizer.js';

/** Look of a row; also its CSS class. */
export type Tone = 'quiet' | 'waiting' | 'active' | 'done' | 'problem';

export interface RowStatus {
  tone: Tone;
  /** Size as text; '' if the state contains it or replaces it. */
  size: string;
  /** State as text. */
  text: string;
  /** From 0 to 1; `unknown` if a bar shows that the file moves, and null if none is shown. */
  progress: number | 'unknown' | null;
  canRetry: boolean;
}

interface StatusContext {
  localizer: Localizer;
  errorTexts: ErrorTexts | null;
  /** Current time as `Date.now()`. */
  now: number;
  /** There is no summary, so the row shows the state that applies to all files. @default true */
  isWithoutSummary?: boolean;
  /** The error of all failed and refused files, which the summary shows; '' if rows show their own. */
  sharedError?: string;
  /** The fields of the files, if the page asks for any. */
  fields?: { isUnfilled(item: UploadItem): boolean } | undefined;
}

/** Describes the state of a file for its row. */
export function describeStatus(
  item: UploadItem,
  { localizer, errorTexts, now, isWithoutSummary = true, sharedError = '', fields }: StatusContext,
): RowStatus {
  const { size, state, deletion, retriedError, isSizeUnknown, url } = item;
  const fraction = (sent: number) => (isSizeUnknown ? null : size === 0 ? 0 : sent / size);
  const quiet = { tone: 'quiet', size: isSizeUnknown ? '' : localizer.size(size), progress: null, canRetry: false } as const;
  /** @param retryAt 0 while the attempt runs */
  const describeRetry = (sent: number, error: BlobError, retryAt: number): RowStatus => {
    const waiting = { ...quiet, progress: fraction(sent) };
    // The summary states the problem and the next attempt, so that many rows stay calm.
    if (!isWithoutSummary) return { ...waiting, text: localizer.text('waiting') };
    const problem = isOutage(error) ? `${localizer.text('serviceUnreachable')} ` : '';
    return { ...waiting, tone: 'waiting', size: '', canRetry: true, text: problem + retryingText(localizer, retryAt, now) };
  };
  switch (state.status) {
    case 'queued':
      return { ...quiet, text: localizer.text(fields?.isUnfilled(item) ? 'fillIn' : 'waiting') };
    case 'uploading': {
      // Whether this attempt gets further is not known yet, so the problem of the last one stays in view.
      if (retriedError) return describeRetry(state.sent, retriedError, 0);
      const progress = fraction(state.sent) ?? 'unknown';
      const sending = { ...quiet, tone: 'active', progress } as const;
      if (state.phase === 'finishing') return { ...sending, text: localizer.text('finishing') };
      if (state.phase === 'token' && state.sent === 0) return { ...sending, text: localizer.text('preparing') };
      if (progress === 'unknown' || (url !== undefined && state.sent === 0))
        return { ...sending, size: state.sent === 0 ? quiet.size : localizer.size(state.sent), text: localizer.text('fetching') };
      // All bytes were sent, but the attempt failed. The next attempt starts from 0, which must not look like a step back.
      if (state.sent === size) return { ...quiet, text: localizer.text('waiting') };
      const sent = localizer.text('sentOfSize', { sent: localizer.size(state.sent), size: localizer.size(size) });
      return { ...sending, size: sent, text: localizer.percent(progress) };
    }
    case 'waiting':
      if (state.retryAt === null && isWithoutSummary)
        return { ...quiet, progress: fraction(state.sent), size: '', text: localizer.text('offline') };
      return describeRetry(state.sent, state.error, state.retryAt ?? 0);
    case 'paused':
      return { ...quiet, progress: fraction(state.sent), text: localizer.text('paused') };
    case 'done':
      if (deletion === 'running') return { ...quiet, text: localizer.text('deleting') };
      if (deletion) return { ...quiet, tone: 'problem', size: '', canRetry: true, text: deletionErrorText(localizer, deletion) };
      return { ...quiet, tone: 'done', text: localizer.text('done') };
    case 'failed':
      return {
        ...quiet,
        tone: 'problem',
        size: '',
        canRetry: state.retryable,
        text: sharedError === '' ? errorText(localizer, state.error, errorTexts) : localizer.text('failedFile'),
      };
    case 'rejected': {
      const isProblem = isRefused(state);
      const text = isProblem && sharedError !== '' ? localizer.text('failedFile') : rejectionText(localizer, state.rejection);
      return { ...quiet, tone: isProblem ? 'problem' : 'quiet', size: '', text };
    }
  }
}

/** Returns whether a file was refused. A file that is in the list already needs no attention. */
export const isRefused = (state: UploadState): state is Extract<UploadState, { status: 'rejected' }> =>
  state.status === 'rejected' && state.rejection.code !== 'DUPLICATE_FILE';

/** Returns whether the server did not respond, or cannot work now. Other errors that are retried say that it is busy. */
export const isOutage = ({ status }: BlobError): boolean => status === 0 || status >= 500;

/** Returns the text for a stored file that was not deleted. */
export const deletionErrorText = (localizer: Localizer, error: BlobError): string =>
  localizer.text(isRetryable(error) ? 'notDeleted' : 'deleteRefused');

/** Says when the next attempt happens, or that it runs. */
export const retryingText = (localizer: Localizer, retryAt: number, now: number): string =>
  retryAt <= now
    ? localizer.text('retryingNow')
    : localizer.text('retrying', { when: formatInSeconds(localizer, (retryAt - now) / 1000) });
