import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { formatNumber, formatSize } from '../../texts/format.js';
import type { DayStats } from './records.js';
import { overviewTexts } from './texts/texts.js';

type Count = Exclude<keyof DayStats, 'day' | 'files' | 'bytes'>;

export const sumOf = (days: readonly DayStats[], name: Count): number => days.reduce((sum, day) => sum + day[name], 0);

/** Renders the plots of 30 days. */
export function charts(days: readonly DayStats[]): TemplateResult[] {
  const { chart, inOut } = overviewTexts;
  const dates = days.map(({ day }) => day);
  const level = (name: 'files' | 'bytes') => days.map((day) => day[name]);
  const count = (title: string, name: Count) => ({ title, values: days.map((day) => day[name]) });
  const sums = (names: readonly [string, Count][]): string =>
    names.map(([title, name]) => `${title}: ${formatNumber(sumOf(days, name))}`).join(' · ');
  const plot = (heading: string, total: string, series: object[], format: (value: number) => string, isLevel = false) =>
    html`<day-chart
      .heading=${heading}
      .total=${total}
      .days=${dates}
      .series=${series}
      .format=${format}
      .isLevel=${isLevel}
    ></day-chart>`;
  return [
    plot(
      chart.storage,
      formatSize(days.at(-1)?.bytes ?? 0),
      [{ title: chart.storage, values: level('bytes') }],
      formatSize,
      true,
    ),
    plot(
      chart.files,
      formatNumber(days.at(-1)?.files ?? 0),
      [{ title: chart.files, values: level('files') }],
      formatNumber,
      true,
    ),
    plot(chart.requests, formatNumber(sumOf(days, 'requests')), [count(chart.requests, 'requests')], formatNumber),
    plot(chart.errors, formatNumber(sumOf(days, 'errors')), [count(chart.errors, 'errors')], formatNumber),
    plot(
      chart.traffic,
      inOut(formatSize(sumOf(days, 'bytes_in')), formatSize(sumOf(days, 'bytes_out'))),
      [count(chart.sent, 'bytes_out'), count(chart.received, 'bytes_in')],
      formatSize,
    ),
    plot(
      chart.uploads,
      sums([
        [chart.uploads, 'uploads'],
        [chart.failedUploads, 'failed_uploads'],
      ]),
      [count(chart.uploads, 'uploads'), count(chart.failedUploads, 'failed_uploads')],
      formatNumber,
    ),
  ];
}
