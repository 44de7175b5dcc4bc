import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { property } from 'lit/decorators.js';
import type { StatsRecord } from '../../../protocol/types.js';
import { Resource } from '../../api/resource.js';
import { icon } from '../../components/icon.js';
import { errorState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { skeleton, skeletonStyles } from '../../components/skeleton.js';
import type { ConsoleContext } from '../../shell/context.js';
import { SECTIONS } from '../../shell/sections.js';
import { base } from '../../styles/base.js';
import { attentionOfStats, findAttention } from './attention.js';
import type { Attention } from './attention.js';
import type { DayStats } from './records.js';
import { overviewTexts } from './texts/texts.js';

/** Lists problems of the chosen storage that a person should act on. Event: `found`, when the list, and so its height, is known. */
class AttentionList extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    skeletonStyles,
    panelStyles,
    css`
      .panel {
        gap: 0.5rem;
      }
      ul {
        display: grid;
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: flex;
        align-items: start;
        gap: 0.75rem;
        padding-block: 0.75rem;
      }
      li:last-child {
        padding-block-end: 0;
      }
      li + li {
        border-block-start: 1px solid var(--line);
      }
      li > svg {
        margin-block-start: 0.125rem;
        color: var(--warning);
      }
      li > div {
        flex: 1;
        min-inline-size: 0;
      }
      li strong {
        font-weight: 500;
      }
      .fine {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        min-block-size: 1.5rem;
      }
      .fine > svg {
        color: var(--good);
      }
      @media (max-width: 30rem) {
        li {
          flex-wrap: wrap;
        }
        /* The button stands below the text. */
        li > div {
          flex-basis: calc(100% - 2rem);
        }
        li > .button {
          margin-inline-start: 1.875rem;
        }
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) days: readonly DayStats[] | undefined;
  @property({ attribute: false }) stats: StatsRecord | undefined;
  readonly #found = new Resource(
    (signal) => findAttention(this.context, signal),
    () => this.requestUpdate(),
  );

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#found.stop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('context')) return;
    this.#found.value = undefined;
    this.reload();
  }

  override updated(): void {
    const { value, error } = this.#found;
    if (error !== undefined || (value && this.days && this.stats)) this.dispatchEvent(new Event('found'));
  }

  reload(): void {
    void this.#found.load();
  }

  override render() {
    const { title } = overviewTexts.attention;
    return html`<section class="panel" aria-labelledby="heading">
      <h2 id="heading">${title}</h2>
      ${this.#content()}
    </section>`;
  }

  #content() {
    const { value, error } = this.#found;
    if (error !== undefined) return errorState(error, () => this.reload());
    const { days, stats } = this;
    if (!value || !days || !stats) return html`<p class="fine" aria-busy="true">${skeleton()}</p>`;
    const all = [...attentionOfStats(days, stats.bytes, stats.quota_bytes), ...value];
    if (all.length === 0) return html`<p class="fine">${icon('check')}${overviewTexts.attention.none}</p>`;
    return html`<ul>
      ${all.map((entry) => this.#entry(entry))}
    </ul>`;
  }

  #entry({ title, advice, section, page }: Attention) {
    const link = SECTIONS.find(({ id }) => id === section)?.id;
    return html`<li>
      ${icon('warning')}
      <div>
        <strong>${title}</strong>
        <p class="muted">${advice}</p>
      </div>
      ${
        link
          ? html`<a
              class="button"
              href=${this.context.router.href(link, page === undefined ? [] : [page])}
              aria-label="${overviewTexts.attention.show}: ${title}"
              >${overviewTexts.attention.show}</a
            >`
          : nothing
      }
    </li>`;
  }
}
customElements.define('attention-list', AttentionList);
