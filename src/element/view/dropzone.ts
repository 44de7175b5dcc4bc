import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import type { Words } from '../locales/messages.js';
import type { Appearance } from '../settings/read.js';
import { fileName } from './file-name.js';
import { icons } from './icons.js';
import { progressLine, rowActions, statusLine } from './row.js';
import type { RowContext } from './row.js';
import { statusOf } from './status.js';

export interface DropzoneContext {
  words: Words;
  appearance: Appearance;
  dragging: boolean;
  disabled: boolean;
  /** As many files as may be are there. */
  full: boolean;
  multiple: boolean;
  folder: boolean;
  /** Names the button for those who cannot see what stands around it; '' when its text is enough. */
  name: string;
  hint: string;
  /** It came when files were there already: where it would push them down it waits until they are gone. */
  isLate: boolean;
  /** The one file that is shown beside the button. */
  single: UploadItem | undefined;
  /** How many files there are, without those that were refused. */
  count: number;
  row: RowContext;
  /** What starts or holds that one file. */
  steering: unknown;
  /** The hint stands in a slot. */
  hasHintSlot: boolean;
  onPick: (event: Event) => void;
}

/** Where files are chosen and dropped. */
export function dropzone(context: DropzoneContext): TemplateResult {
  const { appearance, disabled, full, single } = context;
  const blocked = disabled || full;
  if (appearance === 'dropzone')
    return html`<div part="dropzone" class="dropzone zone ${blocked ? '' : 'open'}" @click=${blocked ? nothing : context.onPick}>
      ${icons.upload}
      <div class="invitation">
        <span class="drop-words ${full ? 'full' : ''}">${invitation(context)}</span>
        ${pickButton(context, blocked)}
      </div>
      ${hint(context)}
    </div>`;
  return html`<div part="dropzone" class="dropzone ${appearance === 'inline' ? 'line' : ''} ${single ? 'filled' : ''}">
      ${pickButton(context, blocked)} ${appearance === 'inline' ? chosen(context) : nothing}
    </div>
    ${hint(context, 'below')}`;
}

function invitation({ words, dragging, disabled, full, folder, multiple, count }: DropzoneContext): string {
  if (disabled) return count > 0 ? '' : words.say('noFile');
  if (full) return words.say('full');
  if (dragging) return words.say('dropNow');
  return words.say(folder ? 'dropFolder' : multiple ? 'dropFiles' : 'dropFile');
}

/** What stands beside the button of one row: the one file with all that a row of the list has, or how many there are. */
function chosen({ words, dragging, single, count, row, steering }: DropzoneContext): TemplateResult {
  const text = words.say(dragging ? 'dropNow' : count === 0 ? 'noFile' : 'saidAdded', { count });
  const beside = html`<span class="beside">${text}</span>`;
  if (single === undefined) return beside;
  const status = statusOf(single, row);
  // Hidden, not gone: what files are over has to be there to tell when they leave.
  return html`${dragging ? beside : nothing}
    <div class="chosen" ?hidden=${dragging}>
      <div part="file" class="beside one ${status.tone}">
        <div class="words">${fileName(single)}${statusLine(status)}</div>
      </div>
      ${steering} ${rowActions(single, status, row)}
    </div>
    ${progressLine(single, status)}`;
}

function pickButton({ words, appearance, folder, multiple, name, onPick }: DropzoneContext, blocked: boolean): TemplateResult {
  const text = words.say(folder ? 'chooseFolder' : multiple ? 'chooseFiles' : 'chooseFile');
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

function hint({ hint, isLate, hasHintSlot }: DropzoneContext, where = ''): TemplateResult {
  const empty = hint === '' && !hasHintSlot;
  return html`<div part="hint" id="hint" class="hint ${where} ${isLate && !hasHintSlot ? 'late' : ''}" ?hidden=${empty}>
    <slot name="hint">${hint}</slot>
  </div>`;
}
