import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icons } from './icons.js';

/** A line below everything, which describes the button as well; what is wrong with a sign before it. */
export const noteLine = (text: string, isProblem: boolean): TemplateResult | typeof nothing =>
  text === ''
    ? nothing
    : html`<div part="note" id="note" class="below ${isProblem ? 'problem' : ''}">
        <span class="status">${isProblem ? icons.problem : nothing}<span>${text}</span></span>
      </div>`;
