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
  /** As many files as may be are there. */
  isFull: boolean;
  multiple: boolean;
  folder: boolean;
  /** Names the button for those who cannot see what stands around it; '' when its text is enough. */
  name: string;
  hint: string;
  /** It came when files were there already: where it would push them down it waits until they are gone. */
  isLateHint: boolean;
  /** The one file that is shown beside the button. */
  singleFile: UploadItem | undefined;
  /** How many files there are, without those that were refused. */
  count: number;
  row: RowContext;
  /** What starts or holds that one file. */
  uploadControls: unknown;
  /** The hint stands in a slot. */
  hasHintSlot: boolean;
  onPick: (event: Event) => void;
}

/** Where files are chosen and dropped. */
export function renderDropzone(context: DropzoneContext): TemplateResult {
  const { appearance, disabled, isFull, singleFile } = context;
  const blocked = disabled || isFull;
  if (appearance === 'dropzone')
    return html`<div part="dropzone" class="dropzone zone ${blocked ? '' : 'open'}" @click=${blocked ? nothing : context.onPick}>
      ${icons.upload}
      <div class="invitation">
        <span class="drop-words ${isFull ? 'full' : ''}">${invitationText(context)}</span>
        ${renderPickButton(context, blocked)}
      </div>
      ${renderHint(context)}
    </div>`;
  return html`<div part="dropzone" class="dropzone ${appearance === 'inline' ? 'line' : ''} ${singleFile ? 'filled' : ''}">
      ${renderPickButton(context, blocked)} ${appearance === 'inline' ? renderBesideButton(context) : nothing}
    </div>
    ${renderHint(context, 'below')}`;
}

function invitationText({ localizer, dragging, disabled, isFull, folder, multiple, count }: DropzoneContext): string {
  if (disabled) return count > 0 ? '' : localizer.text('noFileChosen');
  if (isFull) return localizer.text('maxFilesReached');
  if (dragging) return localizer.text('dropNow');
  return localizer.text(folder ? 'dropFolder' : multiple ? 'dropFiles' : 'dropFile');
}

/** What stands beside the button of one row: the one file with all that a row of the list has, or how many there are. */
function renderBesideButton({ localizer, dragging, singleFile, count, row, uploadControls }: DropzoneContext): TemplateResult {
  const text = localizer.text(dragging ? 'dropNow' : count === 0 ? 'noFileChosen' : 'filesAdded', { count });
  const beside = html`<span class="beside">${text}</span>`;
  if (singleFile === undefined) return beside;
  const status = describeStatus(singleFile, row);
  // Hidden, not gone: what files are over has to be there to tell when they leave.
  return html`${dragging ? beside : nothing}
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
  blocked: boolean,
): TemplateResult {
  const text = localizer.text(folder ? 'chooseFolder' : multiple ? 'chooseFiles' : 'chooseFile');
  return html`<button
    part="file-selector-button"
    class="pick"
    type="button"
    ?disabled=${blocked}
    aria-label=${name === '' ? nothing : `${name}: ${text}`}
    aria-describedby="hint note"
    @click=${appearance === 'dropzone' ? nothing : onPick}
  >
    ${text}
  </button>`;
}

function renderHint({ hint, isLateHint, hasHintSlot }: DropzoneContext, where = ''): TemplateResult {
  const empty = hint === '' && !hasHintSlot;
  return html`<div part="hint" id="hint" class="hint ${where} ${isLateHint && !hasHintSlot ? 'late' : ''}" ?hidden=${empty}>
    <slot name="hint">${hint}</slot>
  </div>`;
}
