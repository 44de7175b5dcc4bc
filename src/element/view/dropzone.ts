import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import type { Localizer } from '../locales/localizer.js';
import type { Appearance } from '../settings/read-settings.js';
import { renderFileName } from './file-name.js';
import { icons } from './icons.js';
import { renderProgress, renderRowActions, renderStatus } from './row.js';
import type { RowContext } from './row.js';
import { describeStatus } from './row-status.js';

export interface DropzoneContext {
  localizer: Localizer;
  appearance: Appearance;
  dragging: boolean;
  disabled: boolean;
  /** The list contains the largest number of files. */
  isFull: boolean;
  multiple: boolean;
  folder: boolean;
  /** Accessible name of the element; '' if the text of the button is enough. */
  name: string;
  hint: string;
  /** The hint became known after files were chosen. It is hidden where it would push the files down. */
  isLateHint: boolean;
  /** The file that is shown beside the button, if only one is accepted. */
  singleFile: UploadItem | undefined;
  /** Number of files without refused ones. */
  count: number;
  row: RowContext;
  /** Buttons that start, pause or resume the single file. */
  uploadControls: unknown;
  /** The page sets the hint in a slot. */
  hasHintSlot: boolean;
  onPick: (event: Event) => void;
}

/** Renders the area where files are chosen and dropped. */
export function renderDropzone(context: DropzoneContext): TemplateResult {
  const { appearance, disabled, isFull, singleFile } = context;
  const isBlocked = disabled || isFull;
  if (appearance === 'dropzone')
    return html`<div
      part="dropzone"
      class="dropzone zone ${isBlocked ? '' : 'open'}"
      @click=${isBlocked ? nothing : context.onPick}
    >
      ${icons.upload}
      <div class="invitation">
        <span class="drop-words ${isFull ? 'full' : ''}">${invitationText(context)}</span>
        ${renderPickButton(context, isBlocked)}
      </div>
      ${renderHint(context)}
    </div>`;
  return html`<div part="dropzone" class="dropzone ${appearance === 'inline' ? 'line' : ''} ${singleFile ? 'filled' : ''}">
      ${renderPickButton(context, isBlocked)} ${appearance === 'inline' ? renderBesideButton(context) : nothing}
    </div>
    ${renderHint(context, 'below')}`;
}

function invitationText({ localizer, dragging, disabled, isFull, folder, multiple, count }: DropzoneContext): string {
  if (disabled) return count > 0 ? '' : localizer.text('noFileChosen');
  if (isFull) return localizer.text('maxFilesReached');
  if (dragging) return localizer.text('dropNow');
  return localizer.text(folder ? 'dropFolder' : multiple ? 'dropFiles' : 'dropFile');
}

/** Renders the text beside the button of the `inline` appearance: the single file with its actions, or the number of files. */
function renderBesideButton({ localizer, dragging, singleFile, count, row, uploadControls }: DropzoneContext): TemplateResult {
  const text = localizer.text(dragging ? 'dropNow' : count === 0 ? 'noFileChosen' : 'filesAdded', { count });
  const besideText = html`<span class="beside">${text}</span>`;
  if (singleFile === undefined) return besideText;
  const status = describeStatus(singleFile, row);
  // Only hidden, because the element under dragged files must stay in the document to receive `dragleave`.
  return html`${dragging ? besideText : nothing}
    <div class="chosen" ?hidden=${dragging}>
      <div part="file" class="beside one ${status.tone}">
        <div class="words">${renderFileName(singleFile)}${renderStatus(status)}</div>
      </div>
      ${uploadControls} ${renderRowActions(singleFile, status, row)}
    </div>
    ${renderProgress(singleFile, status)}`;
}

function renderPickButton(
  { localizer, appearance, folder, multiple, name, onPick }: DropzoneContext,
  isBlocked: boolean,
): TemplateResult {
  const text = localizer.text(folder ? 'chooseFolder' : multiple ? 'chooseFiles' : 'chooseFile');
  return html`<button
    part="file-selector-button"
    class="pick"
    type="button"
    ?disabled=${isBlocked}
    aria-label=${name === '' ? nothing : `${name}: ${text}`}
    aria-describedby="hint note"
    @click=${appearance === 'dropzone' ? nothing : onPick}
  >
    ${text}
  </button>`;
}

function renderHint({ hint, isLateHint, hasHintSlot }: DropzoneContext, className = ''): TemplateResult {
  const isEmpty = hint === '' && !hasHintSlot;
  return html`<div part="hint" id="hint" class="hint ${className} ${isLateHint && !hasHintSlot ? 'late' : ''}" ?hidden=${isEmpty}>
    <slot name="hint">${hint}</slot>
  </div>`;
}
