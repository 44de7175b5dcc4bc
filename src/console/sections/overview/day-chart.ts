import { LitElement, html, nothing, svg } from 'lit';
import { property, state } from 'lit/decorators.js';
import { panelStyles } from '../../components/panel.js';
import { base } from '../../styles/base.js';
import { formatDay } from '../../texts/format.js';
import { scaleFor } from './chart-scale.js';
import { dayChartStyles } from './day-chart-styles.js';
import { overviewTexts } from './texts/texts.js';

export interface Series {
  title: string;
  /** One value for each day; null where nothing is known. */
  values: readonly (number | null)[];
}

/** Width before the first measurement, in pixels. */
const FIRST_WIDTH = 560;
/** Height of the plot in pixels. The left part has the labels of the axis. */
const HEIGHT = 170;
const LEFT = 64;
const BOTTOM = 22;
const TOP = 8;
/** Part of the width of a day that stays empty before and after its bars. */
const INSET = 0.12;

/**
 * A plot of values by day: bars, or an area for a level. A table below has the same values, so the plot is hidden from screen readers. The
 * pointer and the arrow keys show the values of a day.
 */
class DayChart extends LitElement {
  static override styles = [base, panelStyles, dayChartStyles];

  /** Title of the plot. */
  @property() heading = '';
  /** A line below the title, such as the sum. While a day is chosen, its values stand there. */
  @property() total = '';
  /** `2030-01-31`, oldest first. */
  @property({ attribute: false }) days: readonly string[] = [];
  /** One or two series, whose bars stand side by side. */
  @property({ attribute: false }) series: readonly Series[] = [];
  @property({ attribute: false }) format: (value: number) => string = String;
  /** Whether the values are a level, not a count of the day. */
  @property({ type: Boolean }) isLevel = false;
  @state() private chosen: number | undefined;
  /** Width of the plot in pixels, so that its letters keep their size. */
  @state() private width = FIRST_WIDTH;
  readonly #resize = new ResizeObserver(([entry]) => (this.width = Math.max(160, Math.round(entry!.contentRect.width))));

  override firstUpdated(): void {
    this.#resize.observe(this.renderRoot.querySelector('.plot')!);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  #onPointerMove = (event: PointerEvent): void => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    const x = ((event.clientX - left) / width) * this.width - LEFT;
    const index = Math.floor((x / (this.width - LEFT)) * this.days.length);
    this.chosen = index >= 0 && index < this.days.length ? index : undefined;
  };

  #onKeyDown = (event: KeyboardEvent): void => {
    const last = this.days.length - 1;
    const current = this.chosen ?? last;
    const targets: Record<string, number> = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.chosen = Math.min(last, Math.max(0, target));
  };

  override render() {
    return html`<section class="panel" aria-labelledby="heading">
      <div>
        <h2 id="heading">${this.heading}</h2>
        <p class="total" aria-live="polite">${this.chosen === undefined ? this.total : this.#valuesOf(this.chosen)}</p>
      </div>
      <div
        class="plot"
        role="group"
        tabindex="0"
        aria-label=${overviewTexts.chart.hint(this.heading)}
        @pointermove=${this.#onPointerMove}
        @pointerdown=${this.#onPointerMove}
        @pointerleave=${() => (this.chosen = undefined)}
        @keydown=${this.#onKeyDown}
        @blur=${() => (this.chosen = undefined)}
      >
        ${this.#plot()}
      </div>
      ${this.series.length > 1 ? this.#legend() : nothing} ${this.#table()}
    </section>`;
  }

  #plot() {
    const { end, ticks } = scaleFor(Math.max(0, ...this.series.flatMap(({ values }) => values.map((value) => value ?? 0))));
    const bottom = HEIGHT - BOTTOM;
    const y = (value: number): number => bottom - (value / end) * (bottom - TOP);
    const step = (this.width - LEFT) / Math.max(1, this.days.length);
    const x = (index: number): number => LEFT + index * step;
    return html`<svg viewBox="0 0 ${this.width} ${HEIGHT}" aria-hidden="true">
      ${this.chosen === undefined ? nothing : svg`<rect class="day" x=${x(this.chosen)} y=${TOP} width=${step} height=${bottom - TOP}></rect>`}
      ${ticks.map(
        (tick) =>
          svg`<line class="grid" x1=${LEFT} x2=${this.width} y1=${y(tick)} y2=${y(tick)}></line>
            <text x=${LEFT - 8} y=${y(tick) + 4} text-anchor="end">${this.format(tick)}</text>`,
      )}
      ${this.series.map(({ values }, index) => (this.isLevel ? level(values, index, { x, y, step, bottom }) : bars(values, index, this.series.length, { x, y, step, bottom })))}
      ${
        this.days.length === 0
          ? nothing
          : svg`<text x=${LEFT} y=${HEIGHT - 4}>${formatDay(this.days[0]!)}</text>
        <text x=${this.width} y=${HEIGHT - 4} text-anchor="end">${formatDay(this.days.at(-1)!)}</text>`
      }
    </svg>`;
  }

  /** Returns a day with its values. */
  #valuesOf(day: number): string {
    const values = this.series.map(({ title, values: all }) => {
      const value = all[day];
      return `${title}: ${value == null ? '–' : this.format(value)}`;
    });
    return [formatDay(this.days[day]!), ...values].join(' · ');
  }

  #legend() {
    return html`<p class="legend">
      ${this.series.map(({ title }, index) => html`<span><i class=${index === 0 ? '' : 'second'}></i>${title}</span>`)}
    </p>`;
  }

  #table() {
    const newestFirst = this.days.map((_, index) => this.days.length - 1 - index);
    return html`<details>
      <summary>${overviewTexts.chart.table}</summary>
      <div class="scroll" tabindex="0" role="group" aria-label=${this.heading}>
        <table aria-label=${this.heading}>
          <thead>
            <tr>
              <th scope="col">${overviewTexts.chart.day}</th>
              ${this.series.map(({ title }) => html`<th scope="col">${title}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${newestFirst.map(
              (index) =>
                html`<tr>
                  <th scope="row">${formatDay(this.days[index]!)}</th>
                  ${this.series.map(({ values }) => html`<td>${values[index] == null ? '–' : this.format(values[index])}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>`;
  }
}
customElements.define('day-chart', DayChart);

interface Geometry {
  x(index: number): number;
  y(value: number): number;
  step: number;
  bottom: number;
}

/** Bars from the bottom. A value above 0 has at least two units, so that it can be seen. */
const bars = (values: Series['values'], series: number, count: number, { x, y, step, bottom }: Geometry) =>
  values.map((value, index) => {
    if (!value) return nothing;
    const height = Math.max(2, bottom - y(value));
    const width = (step * (1 - 2 * INSET)) / count;
    return svg`<rect class="series-${series}" x=${x(index) + step * INSET + series * width} y=${bottom - height} width=${width} height=${height} rx="1.5"></rect>`;
  });

/** A line through the middle of the days that are known, with the area below it. */
function level(values: Series['values'], series: number, { x, y, step, bottom }: Geometry) {
  const points = values.flatMap((value, index) => (value === null ? [] : [[x(index) + step / 2, y(value)] as const]));
  if (points.length === 0) return nothing;
  const line = points.map(([left, top]) => `${left},${top}`).join('L');
  const [[first]] = points as [readonly [number, number]];
  const [last] = points.at(-1)!;
  return svg`<path class="series-${series} area" d="M${first},${bottom}L${line}L${last},${bottom}Z"></path>
    <path class="series-${series} line" d="M${line}"></path>
    ${points.length === 1 ? svg`<circle class="series-${series}" cx=${first} cy=${points[0]![1]} r="3"></circle>` : nothing}`;
}
