import type { UploadItem } from '../../queue/types.js';
import { wordsForError, wordsForRejection } from '../locales/error-messages.js';
import type { Words } from '../locales/messages.js';

/** How a row is drawn; also the row's class. */
export type Tone = 'quiet' | 'waiting' | 'active' | 'done' | 'problem';

export interface RowStatus {
  tone: Tone;
  /** '' where the words tell it. */
  size: string;
  /** The state in words. */
  text: string;
  /** Why that is so, where it is not said. */
  why?: string;
  /** 0..1, or null where no line is drawn. */
  progress: number | null;
  canRetry: boolean;
}

interface StatusContext {
  words: Words;
  /** As `Date.now()`. */
  now: number;
  /** There is no summary that says what holds for all. */
  alone: boolean;
}

/** One file's state as a person reads it. */
export function statusOf({ size, state }: UploadItem, { words, now, alone }: StatusContext): RowStatus {
  const quiet = { tone: 'quiet', size: words.size(size), progress: null, canRetry: false } as const;
  switch (state.status) {
    case 'queued':
      return { ...quiet, text: words.say('waiting') };
    case 'uploading': {
      const progress = share(state.sent, size);
      const moving = { ...quiet, tone: 'active', progress } as const;
      if (state.phase === 'finishing') return { ...moving, text: words.say('finishing') };
      if (state.phase === 'token' && state.sent === 0) return { ...moving, text: words.say('preparing') };
      // All of it went once, in vain: it is to go anew, which nobody is shown as running backwards.
      if (state.sent === size) return { ...quiet, text: words.say('waiting') };
      const sent = words.say('sending', { sent: words.size(state.sent), size: words.size(size) });
      return { ...moving, size: sent, text: words.percent(progress) };
    }
    case 'waiting': {
      const waiting = { ...quiet, progress: share(state.sent, size) };
      if (state.retryAt === null)
        return alone ? { ...waiting, size: '', text: words.say('offline') } : { ...waiting, text: words.say('waiting') };
      // Who knows that the line is back need not sit it out. A phone has room for when that will be, not for the size as well.
      return {
        ...waiting,
        tone: 'waiting',
        size: '',
        canRetry: true,
        why: wordsForError(words, state.error),
        text: words.say('retrying', { when: words.inSeconds(Math.max(0, state.retryAt - now) / 1000) }),
      };
    }
    case 'paused':
      return { ...quiet, progress: share(state.sent, size), text: words.say('paused') };
    case 'done':
      return { ...quiet, tone: 'done', text: words.say('done') };
    case 'failed':
      return { ...quiet, tone: 'problem', size: '', canRetry: state.retryable, text: wordsForError(words, state.error) };
    case 'rejected': {
      const tone = state.rejection.code === 'DUPLICATE_FILE' ? 'quiet' : 'problem';
      return { ...quiet, tone, size: '', text: wordsForRejection(words, state.rejection) };
    }
  }
}

const share = (sent: number, size: number): number => (size === 0 ? 0 : sent / size);
