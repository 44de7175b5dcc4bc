import { html } from 'lit';
import type { TemplateResult } from 'lit';

/** Part of a quota from which the console warns. */
export const NEARLY_FULL = 0.9;

/** Renders a bar for the used part of a quota: yellow when it is nearly used, red when nothing is left. */
export const usageMeter = (bytes: number, quota: number, label: string): TemplateResult =>
  html`<meter
    min="0"
    max=${quota}
    low=${quota * NEARLY_FULL}
    high=${quota * 0.9999}
    optimum="0"
    .value=${bytes}
    aria-label=${label}
  ></meter>`;
