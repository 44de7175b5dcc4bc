import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { formatFullTime, formatRelative, formatTime } from '../texts/format.js';

/** Renders a time for a cell of a table: the date, and below it the time as seen from now. */
export const timeCell = (iso: string): TemplateResult =>
  html`<time class="stacked" datetime=${iso} title=${formatFullTime(iso)}
    ><span>${formatTime(iso)}</span><small>${formatRelative(iso)}</small></time
  >`;

/** Renders a time in one line: the date, and the time as seen from now. */
export const timeLine = (iso: string): TemplateResult =>
  html`<time datetime=${iso} title=${formatFullTime(iso)}>${formatTime(iso)} · ${formatRelative(iso)}</time>`;
