import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { problemIcon } from './icons.js';

/**
 * Renders the message below the element. The button refers to it with `aria-describedby`.
 *
 * @param isProblem shows an icon before the text
 * @param reserved a text that may appear later; its space is reserved so that the layout does not jump
 * @param isHidden keeps the place of the message, and the description of the button
 */
export const renderMessageLine = (
  text: string,
  isProblem: boolean,
  reserved = '',
  isHidden = false,
): TemplateResult | typeof nothing =>
  (text || reserved) === ''
    ? nothing
    : html`<div
        part=${text === '' ? nothing : 'note'}
        id=${text === '' ? nothing : 'note'}
        class="below ${isProblem ? 'problem' : ''} ${text === '' || isHidden ? 'reserved' : ''}"
      >
        <span class="status">${isProblem ? problemIcon : nothing}<span>${text || reserved}</span></span>
      </div>`;
