import type { UploadItem } from '../../engine/types.js';
import { wordsForError, wordsForRejection } from '../locale/refusals.js';
import type { Words } from '../locale/words.js';

/** How a row is drawn; also the row's class. */
export type Tone = 'quiet' | 'active' | 'done' | 'problem';

export interface RowStatus {
  tone: Tone;
  /** Size and state in words. */
  text: string;
  /** 0..1, or null where no line is drawn. */
  progress: number | null;
  canRetry: boolean;
}

/** One file's state as a person reads it. */
export function statusOf({ size, state }: UploadItem, words: Words, now: number): RowStatus {
  const quiet = { tone: 'quiet', progress: null, canRetry: false } as const;
  const sized = (text: string) => `${words.size(size)} · ${text}`;
  switch (state.status) {
    case 'queued':
      return { ...quiet, text: sized(words.say('waiting')) };
    case 'uploading': {
      const progress = size === 0 ? 0 : state.sent / size;
      const moving = { tone: 'active', progress, canRetry: false } as const;
      if (state.phase === 'finishing') return { ...moving, text: sized(words.say('finishing')) };
      if (state.phase === 'token' && state.sent === 0) return { ...moving, text: sized(words.say('preparing')) };
      const sent = words.say('sending', { sent: words.size(state.sent), size: words.size(size) });
      return { ...moving, text: `${sent} · ${words.percent(progress)}` };
    }
    case 'waiting': {
      const progress = size === 0 ? 0 : state.sent / size;
      if (state.retryAt === null) return { ...quiet, progress, text: words.say('offline') };
      return { ...quiet, progress, text: sized(words.say('retrying', { when: words.inSeconds((state.retryAt - now) / 1000) })) };
    }
    case 'paused':
      return { ...quiet, progress: size === 0 ? 0 : state.sent / size, text: sized(words.say('paused')) };
    case 'done':
      return { tone: 'done', progress: null, canRetry: false, text: sized(words.say('done')) };
    case 'failed':
      return { tone: 'problem', progress: null, canRetry: state.retryable, text: wordsForError(words, state.error) };
    case 'rejected':
      return { tone: 'problem', progress: null, canRetry: false, text: wordsForRejection(words, state.rejection) };
  }
}
