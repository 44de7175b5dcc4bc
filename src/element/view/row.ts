import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import type { Localizer } from '../locales/localizer.js';
import { renderFileName, displayName } from './file-name.js';
import { renderFileIcon } from './file-icon.js';
import { icons } from './icons.js';
import { describeStatus } from './row-status.js';
import type { RowStatus } from './row-status.js';

export interface RowContext {
  localizer: Localizer;
  now: number;
  readOnly: boolean;
  /** What a row is moved by; null where files keep their order. */
  renderMoveButton: ((item: UploadItem, tabbable: boolean) => TemplateResult) | null;
  /** There is no summary that says what holds for all. */
  isWithoutSummary: boolean;
  onRetry: (id: string) => void;
  onRemove: (id: string) => void;
}

/** Where a row stands. */
export interface RowPosition {
  index: number;
  count: number;
  /** False in a long list for all rows but one, which Tab reaches; the arrow keys reach the others. */
  tabbable: boolean;
}

/** One file: what it is, how far it is, what can be done. */
export function renderRow(item: UploadItem, place: RowPosition, context: RowContext): TemplateResult {
  const status = describeStatus(item, context);
  return html`<li
    part="file"
    class="row ${status.tone}"
    data-id=${item.id}
    aria-posinset=${place.index + 1}
    aria-setsize=${place.count}
  >
    ${renderFileIcon(item)}
    <div class="words">${renderFileName(item)}${renderStatus(status)}</div>
    ${renderRowActions(item, status, context, place.tabbable)} ${renderProgress(item, status)}
  </li>`;
}

/** Size and state in words; what is wrong with a sign before it, never by colour alone. */
export function renderStatus({ tone, size, text, reason = '' }: RowStatus): TemplateResult {
  const problem = tone === 'problem';
  return html`<span class="status" title=${(problem ? text : reason) || nothing} tabindex=${problem ? -1 : nothing}>
    ${tone === 'done' ? icons.done : problem ? icons.problem : nothing}
    ${size === '' ? nothing : html`<span part="size" class="size">${size}</span>`}
    <span part=${problem ? 'status error' : 'status'} class="state">${text}</span>
    ${reason === '' ? nothing : html`<span class="hidden">${reason}</span>`}
  </span>`;
}

/** A drawing that tells its name to who points at it; on the button itself it would be read out a second time. */
export const iconWithTooltip = (label: string, icon: TemplateResult): TemplateResult =>
  html`<span title=${label} aria-hidden="true">${icon}</span>`;

export function renderRowActions(item: UploadItem, status: RowStatus, context: RowContext, tabbable = true): TemplateResult {
  const { localizer, readOnly, onRetry, onRemove } = context;
  const name = displayName(item);
  const settled = /^(done|failed|rejected)$/.test(item.state.status);
  const button = (part: string, label: string, act: () => void, icon: TemplateResult) =>
    html`<button part=${part} class="icon" type="button" tabindex=${tabbable ? nothing : -1} aria-label=${label} @click=${act}>
      ${iconWithTooltip(label, icon)}
    </button>`;
  return html`<div class="actions">
    ${context.renderMoveButton?.(item, tabbable) ?? nothing}
    ${
      status.canRetry && !readOnly
        ? button('retry-button', localizer.text('retry', { name }), () => onRetry(item.id), icons.retry)
        : nothing
    }
    ${
      readOnly
        ? nothing
        : button('remove-button', localizer.text(settled ? 'remove' : 'cancel', { name }), () => onRemove(item.id), icons.remove)
    }
  </div>`;
}

export const renderProgress = (item: UploadItem, { progress }: RowStatus): TemplateResult | typeof nothing =>
  progress === null
    ? nothing
    : html`<progress part="progress" max="1" .value=${progress} aria-label=${displayName(item)}></progress>`;
