import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { timeCell } from '../../components/time-text.js';
import { formatRelative } from '../../texts/format.js';
import { attemptText, openDelivery } from './delivery-dialog.js';
import { DELIVERY_STATES } from './records.js';
import type { Delivery } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Interval at which deliveries that are not settled are read again, ms. */
const POLL_MS = 5000;

/** Deliveries of a webhook, newest first. They are kept for seven days. While one is pending, the list follows it. */
class DeliveryList extends ListPage<Delivery> {
  @property({ attribute: false }) webhookId!: string;
  @property({ attribute: false }) status: Delivery['status'] | undefined;

  #timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.#schedule);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.#schedule);
    clearTimeout(this.#timer);
  }

  override updated(): void {
    this.#schedule();
  }

  /** Reads the deliveries again later, unless all deliveries are settled or the page is hidden. */
  #schedule = (): void => {
    clearTimeout(this.#timer);
    if (document.hidden || !this.rows.some(({ status }) => status === 'pending')) return;
    this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
  };

  /** Reads the newest deliveries. The list stays as it is if that fails. */
  async #poll(): Promise<void> {
    const { signal } = this;
    const page = await this.load(undefined, signal).catch(() => undefined);
    if (signal.aborted) return;
    if (page) this.replaceStart(page, isOlder);
    this.#schedule();
  }

  get #path(): string {
    return `/v1/webhooks/${encodeURIComponent(this.webhookId)}/deliveries`;
  }

  protected async load(cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<Delivery>> {
    const page = await this.context.storage.get<{ deliveries: Delivery[]; cursor: string | null }>(this.#path, {
      query: { cursor, status: this.status },
      signal,
    });
    return { rows: page.deliveries, cursor: page.cursor };
  }

  protected view(): ListView<Delivery> {
    const { delivery, columns } = sharingTexts;
    return {
      label: sharingTexts.webhooks.deliveries,
      intro: delivery.intro,
      icon: 'webhook',
      tools: this.#filter(),
      columns: [
        { id: 'event', title: delivery.event, cell: ({ event }) => html`<span class="main"><span>${event}</span></span>` },
        { id: 'state', title: columns.state, cell: deliveryBadge, width: '9rem' },
        { id: 'last', title: delivery.lastAttempt, cell: lastAttempt, width: '14rem' },
        { id: 'created', title: columns.created, cell: ({ created_at: created }) => timeCell(created), width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: ({ event, created_at: created }) => `${event}, ${formatRelative(created)}`,
      secondary: (row) => `${delivery.states[row.status]} · ${lastAttempt(row)} · ${formatRelative(row.created_at)}`,
      open: (row) => void this.#open(row),
      menuOf: (row) => [
        { label: delivery.show, icon: 'info', run: () => void this.#open(row) },
        { label: delivery.repeat, icon: 'refresh', disabledReason: this.readOnlyReason, run: () => void this.#repeat(row) },
      ],
      empty: this.status === undefined ? delivery.empty : delivery.emptyFilter,
    };
  }

  #filter(): TemplateResult {
    const { delivery } = sharingTexts;
    return html`<select
      aria-label=${delivery.filter}
      @change=${(event: Event) => {
        const { value } = event.target as HTMLSelectElement;
        this.context.router.setParams({ status: value === '' ? undefined : value }, { replace: true });
      }}
    >
      <option value="" ?selected=${this.status === undefined}>${delivery.all}</option>
      ${DELIVERY_STATES.map(
        (state) => html`<option value=${state} ?selected=${state === this.status}>${delivery.states[state]}</option>`,
      )}
    </select>`;
  }

  async #open(row: Delivery): Promise<void> {
    const isRepeating = await openDelivery(this.context.storage, `${this.#path}/${row.id}`, row, this.readOnlyReason);
    if (isRepeating) await this.#repeat(row);
  }

  async #repeat(row: Delivery): Promise<void> {
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.storage.post(`${this.#path}/${row.id}/repeat`, { signal }), sharingTexts.delivery.repeated);
  }
}
customElements.define('delivery-list', DeliveryList);

/** Whether a delivery follows another one in the list. */
const isOlder = (row: Delivery, other: Delivery): boolean =>
  row.created_at === other.created_at ? row.id < other.id : row.created_at < other.created_at;

const KINDS = { delivered: 'good', pending: '', failed: 'danger' } as const;

const deliveryBadge = ({ status }: Delivery): TemplateResult =>
  html`<span class="badge ${KINDS[status]}">${sharingTexts.delivery.states[status]}</span>`;

function lastAttempt({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last ? attemptText(last) : sharingTexts.delivery.notSent;
}
