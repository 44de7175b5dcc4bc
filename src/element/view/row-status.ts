import type { UploadItem } from '../../queue/types.js';
import { errorText, rejectionText } from '../locales/error-messages.js';
import type { Localizer } from '../locales/localizer.js';

/** How a row is drawn; also the row's class. */
export type Tone = 'quiet' | 'waiting' | 'active' | 'done' | 'problem';

export interface RowStatus {
  tone: Tone;
  /** '' where the words tell it. */
  size: string;
  /** The state in words. */
  text: string;
  /** Why that is so, where it is not said. */
  reason?: string;
  /** 0..1, or null where no line is drawn. */
  progress: number | null;
  canRetry: boolean;
}

interface StatusContext {
  localizer: Localizer;
  /** As `Date.now()`. */
  now: number;
  /** There is no summary that says what holds for all. */
  isWithoutSummary: boolean;
}

/** One file's state as a person reads it. */
export function describeStatus({ size, state }: UploadItem, { localizer, now, isWithoutSummary }: StatusContext): RowStatus {
  const quiet = { tone: 'quiet', size: localizer.size(size), progress: null, canRetry: false } as const;
  switch (state.status) {
    case 'queued':
      return { ...quiet, text: localizer.text('waiting') };
    case 'uploading': {
      const progress = fraction(state.sent, size);
      const moving = { ...quiet, tone: 'active', progress } as const;
      if (state.phase === 'finishing') return { ...moving, text: localizer.text('finishing') };
      if (state.phase === 'token' && state.sent === 0) return { ...moving, text: localizer.text('preparing') };
      // All of it went once, in vain: it is to go anew, which nobody is shown as running backwards.
      if (state.sent === size) return { ...quiet, text: localizer.text('waiting') };
      const sent = localizer.text('sentOfSize', { sent: localizer.size(state.sent), size: localizer.size(size) });
      return { ...moving, size: sent, text: localizer.percent(progress) };
    }
    case 'waiting': {
      const waiting = { ...quiet, progress: fraction(state.sent, size) };
      if (state.retryAt === null)
        return isWithoutSummary
          ? { ...waiting, size: '', text: localizer.text('offline') }
          : { ...waiting, text: localizer.text('waiting') };
      // Who knows that the line is back need not sit it out. A phone has room for when that will be, not for the size as well.
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
