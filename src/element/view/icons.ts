import { html, nothing, svg } from 'lit';
import type { SVGTemplateResult, TemplateResult } from 'lit';

const draw = (shape: SVGTemplateResult, part: string | typeof nothing = nothing): TemplateResult =>
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

/** Icons on a 20 px grid. Each one accompanies a text or the accessible name of a button. */
export const icons = {
  upload: draw(
    svg`<path d="M10 13V3.5M6.25 7 10 3.25 13.75 7M3.5 13v2.25c0 .7.55 1.25 1.25 1.25h10.5c.7 0 1.25-.55 1.25-1.25V13"/>`,
    'icon',
  ),
  remove: draw(svg`<path d="m5.5 5.5 9 9m0-9-9 9"/>`),
  retry: draw(svg`<path d="M15.75 8.5A6 6 0 1 0 16 11M16 4.75V8.5h-3.75"/>`),
  done: draw(svg`<path d="m4.5 10.5 3.5 3.5 7.5-8"/>`),
  problem: draw(svg`<path d="M10 3.25 17.5 16.5h-15zM10 8.25v3.5"/><path d="M10 14.1v.1"/>`),
  file: draw(
    svg`<path d="M11.5 2.75H6c-.7 0-1.25.55-1.25 1.25v12c0 .7.55 1.25 1.25 1.25h8c.7 0 1.25-.55 1.25-1.25V6.5zM11.5 2.75V6.5h3.75"/>`,
  ),
} as const;
