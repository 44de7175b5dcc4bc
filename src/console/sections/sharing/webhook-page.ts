import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { Resource } from '../../api/resource.js';
import { errorLine } from '../../components/describe-error.js';
import { backLink, backLinkStyles } from '../../components/back-link.js';
import { factList } from '../../components/fact-list.js';
import type { Fact } from '../../components/fact-list.js';
import { icon } from '../../components/icon.js';
import { openMenu } from '../../components/menu.js';
import { banner, errorState, noticeStyles } from '../../components/notice.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { panelStyles } from '../../components/panel.js';
import { skeleton, skeletonStyles } from '../../components/skeleton.js';
import { timeLine } from '../../components/time-text.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import { dialogContent } from '../../styles/dialog-content.js';
import { texts } from '../../texts/texts.js';
import './delivery-list.js';
import type { Webhook } from './records.js';
import { DELIVERY_STATES } from './records.js';
import { sharingTexts } from './texts/texts.js';
import { openSecretRotation, openWebhookForm, showWebhookSecret } from './webhook-form.js';
import { webhookBadge } from './webhook-list.js';

/** One webhook: its state, its actions, and its deliveries. */
class WebhookPage extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    skeletonStyles,
    dialogContent,
    panelStyles,
    backLinkStyles,
    css`
      h2 {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem;
        overflow-wrap: anywhere;
      }
      .facts dd {
        justify-content: start;
        min-block-size: 1.5rem;
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;
  @property({ attribute: false }) webhookId!: string;
  readonly #webhook = new Resource<Webhook>(
    (signal) => this.context.storage.get<Webhook>(this.#path, { signal }),
    () => this.requestUpdate(),
  );

  get #path(): string {
    return `/v1/webhooks/${encodeURIComponent(this.webhookId)}`;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('context') && changed.get('context')?.storage !== this.context.storage) void this.#webhook.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#webhook.stop();
  }

  override render() {
    const { value, error } = this.#webhook;
    const { router } = this.context;
    const back = backLink(router.href('sharing', ['webhooks']), sharingTexts.tabs.webhooks);
    if (!value) return html`${back}${error === undefined ? this.#loading() : errorState(error, this.#webhook.load)}`;
    const status = DELIVERY_STATES.find((state) => state === this.place.params.get('status'));
    return html`${back}${this.#panel(value)}
      <h2>${sharingTexts.webhooks.deliveries}</h2>
      ${keyed(
        status,
        html`<delivery-list .context=${this.context} .webhookId=${this.webhookId} .status=${status}></delivery-list>`,
      )}`;
  }

  #loading = (): TemplateResult => html`<div class="panel" aria-hidden="true">${skeleton()}${skeleton()}${skeleton()}</div>`;

  #panel(webhook: Webhook): TemplateResult {
    const { webhooks, columns } = sharingTexts;
    const isReadOnly = !this.context.mayWrite;
    const reason = webhook.suspended_reason;
    const facts: Fact[] = [
      ...(webhook.description === '' ? [] : [[webhooks.form.url, webhook.url] as const]),
      [webhooks.form.events, webhook.events.map((event) => webhooks.events[event]).join(', ')],
      [columns.folder, webhook.prefix === '' ? sharingTexts.allFiles : `${webhook.prefix}/`],
      [columns.created, timeLine(webhook.created_at)],
      ...(webhook.failing_since === null ? [] : [[webhooks.failingSince, timeLine(webhook.failing_since)] as const]),
      ...(webhook.previous_secret_expires_at === null || Date.parse(webhook.previous_secret_expires_at) <= Date.now()
        ? []
        : [[webhooks.oldSecretUntil, timeLine(webhook.previous_secret_expires_at)] as const]),
    ];
    return html`<section class="panel" aria-label=${webhook.url}>
      <div class="bar">
        <h2><bdi>${webhook.description || webhook.url}</bdi>${webhookBadge(webhook)}</h2>
        ${isReadOnly ? nothing : this.#tools(webhook)}
      </div>
      ${reason === null ? nothing : banner('warning', 'warning', webhooks.suspended[reason])} ${factList(facts)}
    </section>`;
  }

  #tools(webhook: Webhook): TemplateResult {
    const { webhooks } = sharingTexts;
    const isEnabled = webhook.status === 'enabled';
    return html`<div class="tools">
      <button class=${isEnabled ? '' : 'primary'} @click=${() => this.#setStatus(isEnabled ? 'disabled' : 'enabled')}>
        ${isEnabled ? webhooks.disable : webhooks.enable}
      </button>
      <button @click=${() => this.#change(webhook)}>${icon('edit')}${webhooks.change}</button>
      <button
        class="icon"
        aria-label=${texts.more}
        aria-haspopup="menu"
        @click=${(event: MouseEvent) =>
          openMenu(event.currentTarget as Element, texts.more, [
            { label: webhooks.rotate, icon: 'refresh', run: () => void this.#rotate(webhook) },
            {
              label: webhooks.remove,
              icon: 'trash',
              isDangerous: true,
              startsGroup: true,
              run: () => void this.#remove(webhook),
            },
          ])}
      >
        ${icon('more')}
      </button>
    </div>`;
  }

  async #setStatus(status: 'enabled' | 'disabled'): Promise<void> {
    try {
      await this.context.storage.patch(this.#path, { body: { status }, signal: AbortSignal.timeout(30_000) });
    } catch (error) {
      showToast({ text: errorLine(error), kind: 'problem' });
    }
    await this.#webhook.load();
  }

  async #change(webhook: Webhook): Promise<void> {
    if (await openWebhookForm(this.context.storage, webhook)) await this.#webhook.load();
  }

  async #rotate(webhook: Webhook): Promise<void> {
    const rotated = await openSecretRotation(this.context.storage, webhook);
    if (!rotated) return;
    void this.#webhook.load();
    await showWebhookSecret(rotated);
  }

  async #remove({ url }: Webhook): Promise<void> {
    const { removing, remove } = sharingTexts.webhooks;
    if (!(await confirmDialog({ heading: removing.heading(url), text: removing.text, confirm: remove, isDangerous: true })))
      return;
    try {
      await this.context.storage.delete(this.#path, { signal: AbortSignal.timeout(30_000) });
    } catch (error) {
      showToast({ text: errorLine(error), kind: 'problem' });
      return;
    }
    showToast({ text: removing.done(url) });
    this.context.router.go(this.context.router.href('sharing', ['webhooks']));
  }
}
customElements.define('webhook-page', WebhookPage);
