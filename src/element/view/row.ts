import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import type { Words } from '../locales/messages.js';
import { fileName, nameOf } from './file-name.js';
import { glyph } from './file-icon.js';
import { icons } from './icons.js';
import { statusOf } from './status.js';
import type { RowStatus } from './status.js';

export interface RowContext {
  words: Words;
  now: number;
  readOnly: boolean;
  /** What a row is moved by; null where files keep their order. */
  grip: ((item: UploadItem, tabbable: boolean) => TemplateResult) | null;
  /** There is no summary that says what holds for all. */
  alone: boolean;
  onRetry: (id: string) => void;
  onRemove: (id: string) => void;
}

/** Where a row stands. */
export interface Place {
  index: number;
  count: number;
  /** False in a long list for all rows but one, which Tab reaches; the arrow keys reach the others. */
  tabbable: boolean;
}

/** One file: what it is, how far it is, what can be done. */
export function row(item: UploadItem, place: Place, context: RowContext): TemplateResult {
  const status = statusOf(item, context);
  return html`<li
    part="file"
    class="row ${status.tone}"
    data-id=${item.id}
    aria-posinset=${place.index + 1}
    aria-setsize=${place.count}
  >
    ${glyph(item)}
    <div class="words">${fileName(item)}${statusLine(status)}</div>
    ${rowActions(item, status, context, place.tabbable)} ${progressLine(item, status)}
  </li>`;
}

/** Size and state in words; what is wrong with a sign before it, never by colour alone. */
export function statusLine({ tone, size, text, why = '' }: RowStatus): TemplateResult {
  const problem = tone === 'problem';
  return html`<span class="status" title=${(problem ? text : why) || nothing} tabindex=${problem ? -1 : nothing}>
    ${tone === 'done' ? icons.done : problem ? icons.problem : nothing}
    ${size === '' ? nothing : html`<span part="size" class="size">${size}</span>`}
    <span part=${problem ? 'status error' : 'status'} class="state">${text}</span>
    ${why === '' ? nothing : html`<span class="hidden">${why}</span>`}
  </span>`;
}

/** A drawing that tells its name to who points at it; on the button itself it would be read out a second time. */
export const pointedAt = (label: string, icon: TemplateResult): TemplateResult =>
  html`<span title=${label} aria-hidden="true">${icon}</span>`;

export function rowActions(item: UploadItem, status: RowStatus, context: RowContext, tabbable = true): TemplateResult {
  const { words, readOnly, onRetry, onRemove } = context;
  const name = nameOf(item);
  const settled = /^(done|failed|rejected)$/.test(item.state.status);
  const button = (part: string, label: string, act: () => void, icon: TemplateResult) =>
    html`<button part=${part} class="icon" type="button" tabindex=${tabbable ? nothing : -1} aria-label=${label} @click=${act}>
      ${pointedAt(label, icon)}
    </button>`;
  return html`<div class="actions">
    ${context.grip?.(item, tabbable) ?? nothing}
    ${
      status.canRetry && !readOnly
        ? button('retry-button', words.say('retry', { name }), () => onRetry(item.id), icons.retry)
        : nothing
    }
    ${
      readOnly
        ? nothing
        : button('remove-button', words.say(settled ? 'remove' : 'cancel', { name }), () => onRemove(item.id), icons.remove)
    }
  </div>`;
}

export const progressLine = (item: UploadItem, { progress }: RowStatus): TemplateResult | typeof nothing =>
  progress === null ? nothing : html`<progress part="progress" max="1" .value=${progress} aria-label=${nameOf(item)}></progress>`;
