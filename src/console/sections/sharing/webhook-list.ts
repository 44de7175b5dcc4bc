import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { icon } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { timeCell } from '../../components/time-text.js';
import { formatRelative } from '../../texts/format.js';
import type { Webhook, WebhookWithSecret } from './records.js';
import { sharingTexts } from './texts/texts.js';
import { openWebhookForm, showWebhookSecret } from './webhook-form.js';

/** Webhooks of the storage. */
class WebhookList extends ListPage<Webhook> {
  protected async load(_cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<Webhook>> {
    const { webhooks } = await this.context.storage.get<{ webhooks: Webhook[] }>('/v1/webhooks', { signal });
    return { rows: webhooks, cursor: null };
  }

  protected view(): ListView<Webhook> {
    const { webhooks, columns } = sharingTexts;
    return {
      label: sharingTexts.tabs.webhooks,
      intro: webhooks.intro,
      icon: 'webhook',
      columns: [
        { id: 'url', title: webhooks.form.url, cell: (webhook) => this.#name(webhook) },
        { id: 'events', title: webhooks.form.events, cell: ({ events }) => events.join(', '), width: '15rem' },
        { id: 'state', title: columns.state, cell: webhookBadge, width: '8rem' },
        { id: 'created', title: columns.created, cell: ({ created_at: created }) => timeCell(created), width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: ({ url }) => url,
      secondary: (webhook) => `${webhooks.states[stateOf(webhook)]} · ${formatRelative(webhook.created_at)}`,
      open: ({ id }) => this.#open(id),
      create: { label: webhooks.create, run: this.#create },
      empty: webhooks.empty,
    };
  }

  #href = (id: string): string => this.context.router.href('sharing', ['webhooks', id]);
  #open = (id: string): void => this.context.router.go(this.#href(id));

  #name({ id, url, description }: Webhook): TemplateResult {
    const name = description === '' ? url : description;
    return html`<span class="main">
      ${icon('webhook')}
      <span class="stacked">
        <a tabindex="-1" href=${this.#href(id)}><bdi>${name}</bdi></a
        >${description === '' ? nothing : html`<small><bdi>${url}</bdi></small>`}
      </span>
    </span>`;
  }

  #create = async (): Promise<void> => {
    const created = await openWebhookForm<WebhookWithSecret>(this.context.storage);
    if (!created) return;
    await showWebhookSecret(created);
    this.#open(created.id);
  };
}
customElements.define('webhook-list', WebhookList);

const KINDS = { enabled: 'good', failing: 'warning', disabled: '', suspended: 'warning' } as const;

const stateOf = ({ status, failing_since: since }: Webhook) => (status === 'enabled' && since !== null ? 'failing' : status);

export function webhookBadge(webhook: Webhook): TemplateResult {
  const state = stateOf(webhook);
  return html`<span class="badge ${KINDS[state]}">${sharingTexts.webhooks.states[state]}</span>`;
}
