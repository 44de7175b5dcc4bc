import { css, html } from 'lit';
import type { TemplateResult } from 'lit';
import { formatNumber, formatSize } from '../../texts/format.js';
import type { FileSum } from './records.js';
import { overviewTexts } from './texts/texts.js';

export interface RankedEntry extends FileSum {
  name: string;
  href?: string;
}

export const rankingStyles = css`
  .ranking {
    display: grid;
    gap: 0.75rem;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .ranking li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0.125rem 0.75rem;
  }
  .ranking :is(a, .name) {
    min-inline-size: 0;
    overflow: hidden;
    color: var(--text);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .ranking a {
    font-weight: 500;
  }
  .ranking a:not(:hover) {
    text-decoration: none;
  }
  .ranking .sum {
    color: var(--muted);
    font-variant-numeric: tabular-nums;
  }
  .track {
    grid-column: 1 / -1;
    block-size: 0.375rem;
    border-radius: 1rem;
    background: var(--pressed);
    overflow: hidden;
  }
  .track span {
    display: block;
    block-size: 100%;
    border-radius: inherit;
    background: var(--accent);
  }
  @media (forced-colors: active) {
    .track {
      border: 1px solid CanvasText;
    }
    .track span {
      background: CanvasText;
      forced-color-adjust: none;
    }
  }
`;

/** Entries that the page shows of each ranking. */
const SHOWN = 8;

/** Renders the largest folders or types with bars. @param entries largest first */
export function ranking(entries: readonly RankedEntry[]): TemplateResult {
  const largest = Math.max(1, ...entries.map(({ bytes }) => bytes));
  return html`<ol class="ranking">
    ${entries.slice(0, SHOWN).map(
      ({ name, href, files, bytes }) =>
        html`<li>
          ${href === undefined ? html`<span class="name" title=${name}><bdi>${name}</bdi></span>` : html`<a href=${href} title=${name}><bdi>${name}</bdi></a>`}
          <span class="sum">${formatSize(bytes)} · ${overviewTexts.files(files, formatNumber(files))}</span>
          <span class="track" aria-hidden="true"><span .style=${`inline-size:${(bytes / largest) * 100}%`}></span></span>
        </li>`,
    )}
  </ol>`;
}
