import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Totals, UploadQueue } from '../../queue/types.js';
import type { Words } from '../locales/messages.js';

export interface SummaryContext {
  words: Words;
  queue: UploadQueue;
  totals: Readonly<Totals>;
  paused: boolean;
  online: boolean;
  manual: boolean;
  readOnly: boolean;
  /** Some failed file may be tried again. */
  canRetry: boolean;
  onCancel: () => void;
  onRetry: () => void;
  onClear: () => void;
}

/** What separates two facts. */
const DOT = ' · ';

/** "12 of 300, 4.1 MB/s, 2 minutes left". */
function summaryText({ words, totals, paused, online, manual }: SummaryContext): TemplateResult {
  const { files, rejected, done, failed, queued, active, speed, secondsLeft } = totals;
  const bad = failed + rejected;
  const parts: string[] = [];
  let count = '';
  if (queued + active === 0) {
    if (done > 0) parts.push(words.say('allDone', { count: done }));
  } else if (manual && active === 0 && done === 0) parts.push(words.say('ready', { count: queued }));
  else {
    count = words.say('doneOf', { done, total: files });
    if (paused) parts.push(words.say('paused'));
    else if (!online) parts.push(words.say('offline'));
    else {
      if (speed !== null && speed >= 1) parts.push(words.speed(speed));
      if (secondsLeft !== null) parts.push(words.say('timeLeft', { time: words.duration(secondsLeft) }));
    }
  }
  if (bad > 0) parts.push(words.say('someFailed', { count: bad }));
  const rest = parts.join(DOT);
  return html`<span class="summary-text ${online ? '' : 'offline'}"
    ><span class="count">${count}${count === '' || rest === '' ? '' : DOT}</span>${rest}</span
  >`;
}

const plain = (text: string, act: () => void): TemplateResult =>
  html`<button part="summary-button" class="plain" type="button" @click=${act}>${text}</button>`;

/** What begins, holds or resumes the upload. */
export function steering(words: Words, queue: UploadQueue, manual: boolean): TemplateResult | typeof nothing {
  const { totals, paused } = queue;
  if (totals.queued + totals.active === 0) return nothing;
  if (paused) return plain(words.say('resumeAll'), () => queue.resume());
  return manual && totals.active === 0
    ? plain(words.say('startAll'), () => queue.start())
    : plain(words.say('pauseAll'), () => queue.pause());
}

/** One row for all files, with what can be done to all of them. */
export function summary(context: SummaryContext): TemplateResult {
  const { words, queue, totals, manual, readOnly, canRetry } = context;
  const busy = totals.queued + totals.active > 0;
  return html`<div part="summary" class="summary ${busy ? 'busy' : ''}">
    ${summaryText(context)}
    ${
      readOnly
        ? nothing
        : html`<div class="actions">
            ${steering(words, queue, manual)} ${!busy && canRetry ? plain(words.say('retryAll'), context.onRetry) : nothing}
            ${busy ? plain(words.say('cancelAll'), context.onCancel) : plain(words.say('clearAll'), context.onClear)}
          </div>`
    }
    ${
      busy
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
