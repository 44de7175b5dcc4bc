import type { UploadItem } from '../../queue/types.js';
import { errorText, rejectionText } from '../locales/error-messages.js';
import type { Localizer } from '../locales/localizer.js';

/** Look of a row; also its CSS class. */
export type Tone = 'quiet' | 'waiting' | 'active' | 'done' | 'problem';

export interface RowStatus {
  tone: Tone;
  /** Size as text; '' if the state contains it or replaces it. */
  size: string;
  /** State as text. */
  text: string;
  /** Reason for the state, for tooltip and screen readers. */
  reason?: string;
  /** From 0 to 1; null if no progress bar is shown. */
  progress: number | null;
  canRetry: boolean;
}

interface StatusContext {
  localizer: Localizer;
  /** Current time as `Date.now()`. */
  now: number;
  /** There is no summary, so the row shows the state that applies to all files. */
  isWithoutSummary: boolean;
}

/** Describes the state of a file for its row. */
export function describeStatus({ size, state }: UploadItem, { localizer, now, isWithoutSummary }: StatusContext): RowStatus {
  const quiet = { tone: 'quiet', size: localizer.size(size), progress: null, canRetry: false } as const;
  switch (state.status) {
    case 'queued':
      return { ...quiet, text: localizer.text('waiting') };
    case 'uploading': {
      const progress = fraction(state.sent, size);
      const sending = { ...quiet, tone: 'active', progress } as const;
      if (state.phase === 'finishing') return { ...sending, text: localizer.text('finishing') };
      if (state.phase === 'token' && state.sent === 0) return { ...sending, text: localizer.text('preparing') };
      // All bytes were sent, but the attempt failed. The next attempt starts from 0, which must not look like a step back.
      if (state.sent === size) return { ...quiet, text: localizer.text('waiting') };
      const sent = localizer.text('sentOfSize', { sent: localizer.size(state.sent), size: localizer.size(size) });
      return { ...sending, size: sent, text: localizer.percent(progress) };
    }
    case 'waiting': {
      const waiting = { ...quiet, progress: fraction(state.sent, size) };
      if (state.retryAt === null)
        return isWithoutSummary
          ? { ...waiting, size: '', text: localizer.text('offline') }
          : { ...waiting, text: localizer.text('waiting') };
      // The person can retry before the timer does. On a phone there is no room for the size beside the time.
      return {
        ...waiting,
        tone: 'waiting',
        size: '',
        canRetry: true,
        reason: errorText(localizer, state.error),
        text: localizer.text('retrying', { when: localizer.inSeconds(Math.max(0, state.retryAt - now) / 1000) }),
      };
    }
    case 'paused':
      return { ...quiet, progress: fraction(state.sent, size), text: localizer.text('paused') };
    case 'done':
      return { ...quiet, tone: 'done', text: localizer.text('done') };
    case 'failed':
      return { ...quiet, tone: 'problem', size: '', canRetry: state.retryable, text: errorText(localizer, state.error) };
    case 'rejected': {
      const tone = state.rejection.code === 'DUPLICATE_FILE' ? 'quiet' : 'problem';
      return { ...quiet, tone, size: '', text: rejectionText(localizer, state.rejection) };
    }
  }
}

const fraction = (sent: number, size: number): number => (size === 0 ? 0 : sent / size);
