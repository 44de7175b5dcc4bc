import { css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { StatsRecord } from '../../../protocol/types.js';
import { usageMeter } from '../../components/usage-meter.js';
import { skeleton } from '../../components/skeleton.js';
import { formatNumber, formatPercent, formatSize } from '../../texts/format.js';
import { sumOf } from './charts.js';
import type { DayStats } from './records.js';
import { overviewTexts } from './texts/texts.js';

export const figureStyles = css`
  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr));
    gap: 1rem;
    margin: 0;
  }
  .figures > div {
    display: grid;
    align-content: start;
    min-block-size: 7rem;
    gap: 0.125rem;
    padding: 0.875rem 1rem;
    border: 1px solid var(--line);
    border-radius: 0.75rem;
    background: var(--surface);
  }
  .figures dt {
    color: var(--muted);
  }
  .figures dd {
    margin: 0;
  }
  .figures .value {
    font-size: 1.5rem;
    font-weight: 600;
    line-height: 1.3;
    font-variant-numeric: tabular-nums;
  }
  .figures meter {
    inline-size: 100%;
    block-size: 0.5rem;
    margin-block: 0.125rem;
  }
  @media (max-width: 30rem) {
    .figures {
      grid-template-columns: 1fr 1fr;
      gap: 0.75rem;
    }
    .figures > div:first-child {
      grid-column: 1 / -1;
    }
    .figures > div {
      min-block-size: 0;
    }
  }
`;

/** Renders the figures of the storage and of 30 days. Without statistics, bars of the same size. */
export function figures(stats: StatsRecord | undefined, days: readonly DayStats[] | undefined): TemplateResult {
  const { figures: titles } = overviewTexts;
  if (!stats || !days)
    return html`<dl class="figures" aria-busy="true">
      ${Object.values(titles).map((title) => figure(title, skeleton('long'), ''))}
    </dl>`;
  const requests = sumOf(days, 'requests');
  const errors = sumOf(days, 'errors');
  const received = sumOf(days, 'bytes_in');
  const sent = sumOf(days, 'bytes_out');
  return html`<dl class="figures">
    ${figure(titles.storage, formatSize(stats.bytes), quotaOf(stats))}
    ${figure(titles.files, formatNumber(stats.files), overviewTexts.publicFiles(formatNumber(stats.public_files)))}
    ${figure(titles.requests, formatNumber(requests), overviewTexts.perDay(formatNumber(Math.round(requests / days.length))))}
    ${figure(titles.traffic, formatSize(received + sent), overviewTexts.inOut(formatSize(received), formatSize(sent)))}
    ${figure(titles.errors, formatNumber(errors), overviewTexts.errorShare(formatPercent(requests === 0 ? 0 : errors / requests)))}
  </dl>`;
}

const figure = (title: string, value: TemplateResult | string, note: TemplateResult | string): TemplateResult =>
  html`<div>
    <dt>${title}</dt>
    <dd class="value">${value}</dd>
    ${note === '' ? nothing : html`<dd class="hint">${note}</dd>`}
  </div>`;

function quotaOf({ bytes, quota_bytes: quota }: StatsRecord): TemplateResult | string {
  if (quota === null) return overviewTexts.noQuota;
  const text = overviewTexts.quota(formatSize(bytes), formatSize(quota));
  return html`${usageMeter(bytes, quota, text)}${text}`;
}
