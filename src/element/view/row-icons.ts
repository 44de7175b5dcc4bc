import { html, svg } from 'lit';
import type { TemplateResult } from 'lit';
import { drawIcon } from './icons.js';

export const removeIcon = drawIcon(svg`<path d="m5.5 5.5 9 9m0-9-9 9"/>`);

export const retryIcon = drawIcon(svg`<path d="M15.75 8.5A6 6 0 1 0 16 11M16 4.75V8.5h-3.75"/>`);

export const doneIcon = drawIcon(svg`<path d="m4.5 10.5 3.5 3.5 7.5-8"/>`);

export const fileIcon = drawIcon(
  svg`<path d="M11.5 2.75H6c-.7 0-1.25.55-1.25 1.25v12c0 .7.55 1.25 1.25 1.25h8c.7 0 1.25-.55 1.25-1.25V6.5zM11.5 2.75V6.5h3.75"/>`,
);

/** Adds a tooltip to an icon. A `title` on the button itself would be read out twice. */
export const iconWithTooltip = (label: string, icon: TemplateResult): TemplateResult =>
  html`<span title=${label} aria-hidden="true">${icon}</span>`;
