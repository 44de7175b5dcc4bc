import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../engine/types.js';
import type { Words } from '../locale/words.js';
import type { Appearance } from '../settings/read.js';
import { icons } from './icons.js';

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
  chosen: readonly UploadItem[];
  onPick: (event: Event) => void;
}

/** Where files are chosen and dropped. */
export function dropzone(context: DropzoneContext): TemplateResult {
  const { appearance, disabled, full } = context;
  const blocked = disabled || full;
  if (appearance === 'dropzone')
    return html`<div part="dropzone" class="dropzone zone" @click=${blocked ? nothing : context.onPick}>
      ${icons.upload}
      <div class="invitation">
        <span class="drop-words">${invitation(context)}</span>
        ${pickButton(context, blocked)}
      </div>
      ${hint(context)}
    </div>`;
  return html`<div part="dropzone" class="dropzone ${appearance === 'inline' ? 'line' : ''}">
      ${pickButton(context, blocked)} ${appearance === 'inline' ? html`<span class="chosen">${chosen(context)}</span>` : nothing}
    </div>
    ${hint(context, 'below')}`;
}

function invitation({ words, dragging, full, folder, multiple }: DropzoneContext): string {
  if (full) return words.say('full');
  if (dragging) return words.say('dropNow');
  return words.say(folder ? 'dropFolder' : multiple ? 'dropFiles' : 'dropFile');
}

function chosen({ words, dragging, chosen }: DropzoneContext): string {
  if (dragging) return words.say('dropNow');
  if (chosen.length === 0) return words.say('noFile');
  return chosen.length === 1 ? chosen[0]!.name : words.say('saidAdded', { count: chosen.length });
}

function pickButton({ words, folder, multiple, name, onPick, hint }: DropzoneContext, blocked: boolean): TemplateResult {
  const text = words.say(folder ? 'chooseFolder' : multiple ? 'chooseFiles' : 'chooseFile');
  return html`<button
    part="file-selector-button"
    class="pick"
    type="button"
    ?disabled=${blocked}
    aria-label=${name === '' ? nothing : `${name}: ${text}`}
    aria-describedby=${hint === '' ? nothing : 'hint'}
    @click=${onPick}
  >
    ${text}
  </button>`;
}

function hint({ hint }: DropzoneContext, where = ''): TemplateResult {
  return html`<div part="hint" id="hint" class="hint ${where}" ?hidden=${hint === ''}><slot name="hint">${hint}</slot></div>`;
}
