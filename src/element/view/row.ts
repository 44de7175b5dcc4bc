import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import type { ErrorTexts } from '../locales/error-messages.js';
import type { Localizer } from '../locales/localizer.js';
import { displayName } from './display-name.js';
import { renderFileName } from './file-name.js';
import { canView, renderFileIcon } from './file-icon.js';
import type { StoredImageOf, ViewAction } from './file-icon.js';
import { problemIcon } from './icons.js';
import { doneIcon, iconWithTooltip, removeIcon, retryIcon } from './row-icons.js';
import { describeStatus } from './row-status.js';
import type { RowStatus } from './row-status.js';
import { MAX_UNWINDOWED_ROWS } from './visible-rows.js';

/** The fields that a person fills in for each file. */
export interface FieldView {
  /** @param isInLongList all rows need the same height, also those without fields */
  render(item: UploadItem, readOnly: boolean, isInLongList: boolean): TemplateResult | typeof nothing;
  /** Returns whether the upload of one of the files was not started yet. */
  hasHeld(items: readonly UploadItem[]): boolean;
  /** Returns whether a required field of the file has to be filled in before its upload. */
  isUnfilled(item: UploadItem): boolean;
  hasUnfilled(items: readonly UploadItem[]): boolean;
  /** Gives a file what the person entered for another one, which it replaces. */
  copyValues(from: UploadItem, to: UploadItem): void;
}

export interface RowContext {
  localizer: Localizer;
  /** Texts of the page for errors, in place of those of the localizer. */
  errorTexts: ErrorTexts | null;
  now: number;
  readOnly: boolean;
  /** Removing an uploaded file deletes it. */
  deletesFiles: boolean;
  /** Renders the button that moves a row; null if files cannot be reordered. */
  renderMoveButton: ((item: UploadItem, tabbable: boolean) => TemplateResult) | null;
  /** Renders the button that edits a picture. Absent if pictures cannot be edited, or the editor is not loaded. */
  renderEditButton?: (item: UploadItem, tabbable: boolean) => TemplateResult | typeof nothing;
  /** Fields of each file, if the page asks for any and their code is loaded. */
  fields: FieldView | undefined;
  /** There is no summary, so the row shows the state that applies to all files. @default true */
  isWithoutSummary?: boolean;
  /** The error of all failed and refused files, which the summary shows; '' if rows show their own. */
  sharedError?: string;
  /** Returns the images of stored files, if the page wants them. */
  storedImageOf?: StoredImageOf | undefined;
  /** Shows the picture of a file large. Absent where pictures cannot be shown. */
  onView?: (id: string) => void;
  onRetry: (id: string) => void;
  /** @param text the announcement. @default "fileRemoved" */
  onRemove: (id: string, text?: 'fileRemoved' | 'fileDeleted') => void;
}

/** Position of a row in the list. */
export interface RowPosition {
  index: number;
  count: number;
  /** In a long list, Tab reaches only one row. The arrow keys reach the others. */
  tabbable: boolean;
}

/** Renders one file: icon, name, status, actions, progress. */
export const renderRow = (item: UploadItem, place: RowPosition, context: RowContext): TemplateResult =>
  renderEntry(
    'row',
    renderFileIcon(item, context.storedImageOf, viewAction(item, context, place.tabbable)),
    item,
    place,
    context,
  );

/** Renders one file as a row or a tile. Arrow keys in two directions move the focus to tiles. */
export function renderEntry(
  className: 'row' | 'tile',
  picture: TemplateResult,
  item: UploadItem,
  place: RowPosition,
  context: RowContext,
): TemplateResult {
  const status = describeStatus(item, context);
  return html`<li
    part="file"
    class="${className} ${status.tone}"
    data-id=${item.id}
    tabindex=${className === 'tile' ? -1 : nothing}
    aria-posinset=${place.index + 1}
    aria-setsize=${place.count}
  >
    ${picture}
    <div class="words">${renderFileName(item)}${renderStatus(status)}</div>
    ${renderRowActions(item, status, context, place.tabbable)}
    ${context.fields?.render(item, context.readOnly, place.count > MAX_UNWINDOWED_ROWS) ?? nothing}
    ${renderProgress(item, status)}
  </li>`;
}

/** Returns the action of a thumbnail; undefined if its picture cannot be shown large. */
export function viewAction(item: UploadItem, context: RowContext, tabbable: boolean): ViewAction | undefined {
  const { onView, localizer } = context;
  if (onView === undefined || !canView(item, context.storedImageOf)) return undefined;
  return { label: localizer.text('view', { name: displayName(item) }), tabbable, act: () => onView(item.id) };
}

/** Renders size and state as text. Errors have an icon, because color alone is not accessible. */
export function renderStatus({ tone, size, text }: RowStatus): TemplateResult {
  const isProblem = tone === 'problem';
  return html`<span class="status" title=${isProblem ? text : nothing} tabindex=${isProblem ? -1 : nothing}>
    ${tone === 'done' ? doneIcon : isProblem ? problemIcon : nothing}
    ${size === '' ? nothing : html`<span part="size" class="size">${size}</span>`}
    <span part=${isProblem ? 'status error' : 'status'} class="state">${text}</span>
  </span>`;
}

export function renderRowActions(item: UploadItem, status: RowStatus, context: RowContext, tabbable = true): TemplateResult {
  const { localizer, readOnly, onRemove } = context;
  const onRetry = item.deletion ? onRemove : context.onRetry;
  const name = displayName(item);
  const { status: state } = item.state;
  const removeText = state === 'done' && context.deletesFiles ? 'delete' : /^(done|failed)$/.test(state) ? 'remove' : 'cancel';
  const button = (part: string, label: string, act: () => void, icon: TemplateResult) =>
    html`<button part=${part} class="icon" type="button" tabindex=${tabbable ? nothing : -1} aria-label=${label} @click=${act}>
      ${iconWithTooltip(label, icon)}
    </button>`;
  return html`<div class="actions">
    ${context.renderMoveButton?.(item, tabbable) ?? nothing} ${context.renderEditButton?.(item, tabbable) ?? nothing}
    ${
      status.canRetry && !readOnly
        ? button('retry-button', localizer.text('retry', { name }), () => onRetry(item.id), retryIcon)
        : nothing
    }
    ${
      readOnly
        ? nothing
        : item.state.status === 'rejected'
          ? renderDismissButton(localizer, name, () => onRemove(item.id), tabbable)
          : button('remove-button', localizer.text(removeText, { name }), () => onRemove(item.id), removeIcon)
    }
  </div>`;
}

/** A refused file is no part of the upload, so its button says in words that it only hides a message. */
const renderDismissButton = (localizer: Localizer, name: string, act: () => void, tabbable: boolean): TemplateResult =>
  html`<button
    part="dismiss-button"
    class="plain dismiss"
    type="button"
    tabindex=${tabbable ? nothing : -1}
    aria-label="${localizer.text('dismiss')}: ${name}"
    @click=${act}
  >
    ${localizer.text('dismiss')}
  </button>`;

export const renderProgress = (item: UploadItem, { progress }: RowStatus): TemplateResult | typeof nothing =>
  progress === null
    ? nothing
    : progress === 'unknown'
      ? html`<progress part="progress" aria-label=${displayName(item)}></progress>`
      : html`<progress part="progress" max="1" .value=${progress} aria-label=${displayName(item)}></progress>`;
