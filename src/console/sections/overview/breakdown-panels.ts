import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { sleep } from '../../api/api.js';
import { Resource } from '../../api/resource.js';
import { errorState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { skeleton, skeletonStyles } from '../../components/skeleton.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { formatTime } from '../../texts/format.js';
import { ranking, rankingStyles } from './ranking.js';
import type { RankedEntry } from './ranking.js';
import type { Breakdown } from './records.js';
import { overviewTexts } from './texts/texts.js';

/** Pause before the page asks again for a result that is being computed. */
const REPEAT_MS = 2000;

/** The largest folders and types. The service computes them in the background. */
class BreakdownPanels extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    skeletonStyles,
    panelStyles,
    rankingStyles,
    css`
      :host {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
        align-items: start;
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  readonly #breakdown = new Resource(
    (signal) => this.#read(signal),
    () => this.requestUpdate(),
  );

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#breakdown.stop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('context')) return;
    this.#breakdown.value = undefined;
    this.reload();
  }

  reload(): void {
    void this.#breakdown.load();
  }

  /** Reads the breakdown until it is complete. An older one is shown meanwhile. */
  async #read(signal: AbortSignal): Promise<Breakdown> {
    for (;;) {
      const breakdown = await this.context.storage.get<Breakdown>('/v1/stats/folders', { signal });
      if (!breakdown.computing) return breakdown;
      if (breakdown.computed_at !== null) this.#breakdown.value = breakdown;
      this.requestUpdate();
      await sleep(REPEAT_MS, signal);
    }
  }

  override render() {
    const { folders } = overviewTexts;
    const { value, error } = this.#breakdown;
    if (error !== undefined) return errorState(error, () => this.reload());
    const entries = value && this.#entriesOf(value);
    return html`${this.#panel('folders', folders.title, entries?.folders)} ${this.#panel('types', folders.types, entries?.types)}`;
  }

  #entriesOf({ folders, types }: Breakdown): Record<'folders' | 'types', RankedEntry[]> {
    const { router } = this.context;
    return {
      folders: folders.map(({ prefix, ...sum }) => ({
        ...sum,
        name: prefix === '' ? overviewTexts.folders.outside : prefix.slice(0, -1),
        href: prefix === '' ? router.href('files') : router.href('files', [], { prefix }),
      })),
      types: types.map(({ type, ...sum }) => ({ ...sum, name: type })),
    };
  }

  #panel(id: string, title: string, entries: readonly RankedEntry[] | undefined): TemplateResult {
    const { folders } = overviewTexts;
    const { value, isLoading } = this.#breakdown;
    const computedAt = value?.computed_at;
    return html`<section class="panel" aria-labelledby=${id} aria-busy=${entries === undefined}>
      <div>
        <h2 id=${id}>${title}</h2>
        <p class="hint" role="status">
          ${entries === undefined && isLoading ? folders.computing : nothing}
          ${computedAt ? folders.computedAt(formatTime(computedAt)) : nothing}
        </p>
      </div>
      ${listOf(entries)}
    </section>`;
  }
}
customElements.define('breakdown-panels', BreakdownPanels);

function listOf(entries: readonly RankedEntry[] | undefined): TemplateResult {
  if (entries === undefined) return html`<div aria-hidden="true">${skeleton()}${skeleton()}${skeleton()}</div>`;
  return entries.length === 0 ? html`<p class="muted">${overviewTexts.folders.none}</p>` : ranking(entries);
}
