import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { splitName } from '../../protocol/split-name.js';
import { displayName } from './display-name.js';

/** Characters before the extension that stay visible. */
const TAIL_CHARACTERS = 4;
/** A longer extension may be cut. */
const MAX_EXTENSION = 10;

/** Splits a name into a head that may be cut, and a tail with the extension that stays visible. */
export function splitFileName(name: string): { head: string; tail: string } {
  const { stem, ending } = splitName(name);
  const extension = ending.length <= MAX_EXTENSION ? ending : '';
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(extension === '' ? name : stem)];
  const index = characters[characters.length - TAIL_CHARACTERS]?.index ?? 0;
  return { head: name.slice(0, index), tail: name.slice(index) };
}

/**
 * Renders a name as head and tail, so that CSS can cut it in the middle. A transparent copy of the whole name lies above them for
 * screen readers, search, selection and copying.
 */
export function renderFileName(item: UploadItem): TemplateResult {
  const path = displayName(item);
  const nameStart = path.lastIndexOf('/') + 1;
  const name = path.slice(nameStart);
  const { head, tail } = splitFileName(name);
  return html`<span part="name" class="path" dir="auto" title=${path}
    >${nameStart > 0 ? html`<span class="head muted">${path.slice(0, nameStart)}</span>` : nothing}<span class="name" dir="auto"
      ><span class="whole">${name}</span><span class="head" data-text=${head} aria-hidden="true"></span
      ><span class="tail" data-text=${tail} aria-hidden="true"></span></span
  ></span>`;
}
