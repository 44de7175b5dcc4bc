import { LitElement, css, html } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import type { StatsRecord } from '../../../protocol/types.js';
import { Resource } from '../../api/resource.js';
import { icon } from '../../components/icon.js';
import { emptyState, errorState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { skeleton, skeletonStyles } from '../../components/skeleton.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import './attention-list.js';
import './breakdown-panels.js';
import './day-chart.js';
import { charts } from './charts.js';
import { figures, figureStyles } from './figures.js';
import type { DayStats } from './records.js';
import { overviewTexts } from './texts/texts.js';

interface Statistics {
  stats: StatsRecord;
  days: DayStats[];
}

/** The section Overview: what needs attention, figures, plots of 30 days, the largest folders and types. */
class OverviewSection extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    skeletonStyles,
    panelStyles,
    figureStyles,
    css`
      .charts {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr));
        gap: 1rem;
      }
      .period {
        color: var(--muted);
      }
      .waiting {
        min-block-size: 18.5rem;
      }
      .rest {
        display: flex;
        flex-direction: column;
        gap: 1rem;
      }
      /* The list above moves it when its height becomes known. */
      .rest.hidden {
        visibility: hidden;
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;
  @state() private isAttentionKnown = false;
  readonly #statistics = new Resource<Statistics>(
    async (signal) => {
      const { storage } = this.context;
      const [stats, { days }] = await Promise.all([
        storage.get<StatsRecord>('/v1/stats', { signal }),
        storage.get<{ days: DayStats[] }>('/v1/stats/daily', { signal, query: { days: 30 } }),
      ]);
      return { stats, days };
    },
    () => this.requestUpdate(),
  );
  #shown: ConsoleContext | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#statistics.stop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('context') || this.context === this.#shown) return;
    this.#shown = this.context;
    this.#statistics.value = undefined;
    this.isAttentionKnown = false;
    void this.#statistics.load();
  }

  #refresh = (): void => {
    void this.#statistics.load();
    for (const part of this.renderRoot.querySelectorAll<HTMLElement & { reload(): void }>('attention-list, breakdown-panels'))
      part.reload();
  };

  override render() {
    const { title, period, refresh } = overviewTexts;
    return html`<div class="bar">
        <div>
          <h1>${title}</h1>
          <p class="period">${period}</p>
        </div>
        <button class="icon" aria-label=${refresh} title=${refresh} @click=${this.#refresh}>${icon('refresh')}</button>
      </div>
      ${this.#content()}`;
  }

  #content(): TemplateResult {
    const { context } = this;
    const { value, error } = this.#statistics;
    if (error !== undefined) return errorState(error, () => void this.#statistics.load());
    if (value && isUnused(value)) return this.#empty();
    return html`<attention-list
        .context=${context}
        .days=${value?.days}
        .stats=${value?.stats}
        @found=${() => (this.isAttentionKnown = true)}
      ></attention-list>
      <div class="rest ${this.isAttentionKnown ? '' : 'hidden'}">
        ${figures(value?.stats, value?.days)}
        <div class="charts">
          ${
            value
              ? charts(value.days)
              : [0, 1, 2, 3, 4, 5].map(() => html`<div class="panel waiting" aria-hidden="true">${skeleton()}</div>`)
          }
        </div>
        <breakdown-panels .context=${context}></breakdown-panels>
      </div>`;
  }

  #empty(): TemplateResult {
    const { empty, emptyReadOnly } = overviewTexts;
    const { mayWrite, router } = this.context;
    if (!mayWrite) return emptyState('chart', emptyReadOnly);
    return emptyState('chart', empty, html`<a class="button primary" href=${router.href('files')}>${empty.action}</a>`);
  }
}
customElements.define('overview-section', OverviewSection);

/** Whether the storage never had a file. Requests alone, such as those of this page, do not count. */
const isUnused = ({ stats, days }: Statistics): boolean =>
  stats.files === 0 && days.every((day) => day.uploads + day.failed_uploads === 0 && !day.files);
