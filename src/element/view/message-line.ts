import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { problemIcon } from './icons.js';

/**
 * Renders the message below the element. The button refers to it with `aria-describedby`.
 *
 * @param isProblem shows an icon before the text
 * @param reserved a text that may appear later; its space is reserved so that the layout does not jump
 */
export const renderMessageLine = (text: string, isProblem: boolean, reserved = ''): TemplateResult | typeof nothing =>
  (text || reserved) === ''
    ? nothing
    : html`<div
        part=${text === '' ? nothing : 'note'}
        id=${text === '' ? nothing : 'note'}
        class="below ${isProblem ? 'problem' : ''} ${text === '' ? 'reserved' : ''}"
      >
        <span class="status">${isProblem ? problemIcon : nothing}<span>${text || reserved}</span></span>
      </div>`;
