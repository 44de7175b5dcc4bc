import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Localizer } from '../locales/localizer.js';
import type { Appearance } from '../settings/read-settings.js';
import type { SourceButton } from '../sources/source-menu.js';
import { uploadIcon } from './icons.js';

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
  /** The rendered file beside the button, if only one is accepted; undefined without a file, and while its code loads. */
  singleFile: TemplateResult | undefined;
  /** Number of files without refused ones. */
  count: number;
  /** The page sets the hint in a slot. */
  hasHintSlot: boolean;
  /** The button opens a menu, or the only source; undefined if it opens the picker. */
  sources: SourceButton | undefined;
  onPick: (event: Event) => void;
}

/** Returns whether the area for dropped files is shown. */
const isZone = (appearance: Appearance): boolean => appearance === 'dropzone' || appearance === 'grid';

/** Renders the area where files are chosen and dropped. */
export function renderDropzone(context: DropzoneContext): TemplateResult {
  const { appearance, disabled, isFull, singleFile } = context;
  const isBlocked = disabled || isFull;
  if (isZone(appearance))
    return html`<div
      part="dropzone"
      class="dropzone zone ${isBlocked ? '' : 'open'}"
      @click=${isBlocked ? nothing : context.onPick}
    >
      ${uploadIcon}
      <div class="invitation">
        <span class="drop-words ${isFull ? 'full' : ''}">${invitationText(context)}</span>
        ${renderPickButton(context, isBlocked, pickText(context))}
      </div>
      ${renderHint(context)}
    </div>`;
  return html`<div part="dropzone" class="dropzone ${appearance === 'inline' ? 'line' : ''} ${singleFile ? 'filled' : ''}">
      ${renderPickButton(context, isBlocked, pickText(context))}
      ${appearance === 'inline' ? renderBesideButton(context) : nothing}
    </div>
    ${renderHint(context, 'below')}`;
}

function invitationText({ localizer, dragging, disabled, isFull, folder, multiple, count }: DropzoneContext): string {
  if (disabled) return count > 0 ? '' : localizer.text('noFileChosen');
  if (isFull) return localizer.text('maxFilesReached');
  if (dragging) return localizer.text('dropNow');
  return localizer.text(folder ? 'dropFolder' : multiple ? 'dropFiles' : 'dropFile');
}

/** Renders what is beside the button of the `inline` appearance: the single file, or that there is none. The summary counts several. */
function renderBesideButton({ localizer, dragging, singleFile, count }: DropzoneContext): TemplateResult {
  const text = dragging ? localizer.text('dropNow') : count === 0 ? localizer.text('noFileChosen') : '';
  const besideText = html`<span class="beside">${text}</span>`;
  // Under dragged files the single file is only hidden, because the element there must stay in the document to receive `dragleave`.
  return singleFile === undefined ? besideText : html`${dragging ? besideText : nothing} ${singleFile}`;
}

function pickText({ localizer, folder, multiple, sources }: DropzoneContext): string {
  return sources?.text || localizer.text(folder ? 'chooseFolder' : multiple ? 'chooseFiles' : 'chooseFile');
}

/**
 * Renders the button that chooses files.
 * @param text names the button
 * @param shown its text now. @default text
 */
export function renderPickButton(
  { appearance, name, sources, onPick }: DropzoneContext,
  isBlocked: boolean,
  text: string,
  shown = text,
): TemplateResult {
  return html`<button
    part="file-selector-button"
    class="pick"
    type="button"
    ?disabled=${isBlocked}
    aria-label=${name === '' ? nothing : `${name}: ${text}`}
    aria-describedby="hint note"
    aria-haspopup=${sources?.isMenu ? 'menu' : nothing}
    aria-expanded=${sources?.isMenu ? `${sources.isExpanded}` : nothing}
    @click=${isZone(appearance) ? nothing : onPick}
  >
    ${shown}
  </button>`;
}

/** Renders the text that says which files are accepted. */
export function renderHint({ hint, isLateHint, hasHintSlot }: DropzoneContext, className = ''): TemplateResult {
  const isEmpty = hint === '' && !hasHintSlot;
  return html`<div part="hint" id="hint" class="hint ${className} ${isLateHint && !hasHintSlot ? 'late' : ''}" ?hidden=${isEmpty}>
    <slot name="hint">${hint}</slot>
  </div>`;
}
