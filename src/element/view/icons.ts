import { html, nothing, svg } from 'lit';
import type { SVGTemplateResult, TemplateResult } from 'lit';

/** Draws an icon on a 20 px grid. Each icon accompanies a text or the accessible name of a button. */
export const drawIcon = (shape: SVGTemplateResult, part: string | typeof nothing = nothing): TemplateResult =>
  html`<svg
    part=${part}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${shape}
  </svg>`;

export const uploadIcon = drawIcon(
  svg`<path d="M10 13V3.5M6.25 7 10 3.25 13.75 7M3.5 13v2.25c0 .7.55 1.25 1.25 1.25h10.5c.7 0 1.25-.55 1.25-1.25V13"/>`,
  'icon',
);

export const problemIcon = drawIcon(svg`<path d="M10 3.25 17.5 16.5h-15zM10 8.25v3.5"/><path d="M10 14.1v.1"/>`);
