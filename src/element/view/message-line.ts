import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icons } from './icons.js';

/**
 * A line below everything, which describes the button as well; what is wrong with a sign before it.
 * @param reserved words that may come, for which there is room until they do
 */
export const renderMessageLine = (text: string, isProblem: boolean, reserved = ''): TemplateResult | typeof nothing =>
  (text || reserved) === ''
    ? nothing
    : html`<div
        part=${text === '' ? nothing : 'note'}
        id=${text === '' ? nothing : 'note'}
        class="below ${isProblem ? 'problem' : ''} ${text === '' ? 'reserved' : ''}"
      >
        <span class="status">${isProblem ? icons.problem : nothing}<span>${text || reserved}</span></span>
      </div>`;
