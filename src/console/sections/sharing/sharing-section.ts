import { LitElement, html } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { emptyState, noticeStyles } from '../../components/notice.js';
import { revealCurrentPage, sectionHead, sectionHeadStyles } from '../../components/section-head.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import { texts } from '../../texts/texts.js';
import './domain-list.js';
import './rule-list.js';
import './share-list.js';
import { sharingTexts } from './texts/texts.js';
import './webhook-list.js';
import './webhook-page.js';

const TABS = ['shares', 'rules', 'domains', 'webhooks'] as const;

/** The section Sharing: shares, rules, domains and webhooks. */
class SharingSection extends LitElement {
  static override styles = [base, noticeStyles, ...sectionHeadStyles];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;

  override willUpdate(changed: PropertyValues<this>): void {
    const { router } = this.context;
    if (changed.has('place') && this.place.section === 'sharing' && this.place.segments.length === 0)
      router.go(router.href('sharing', ['shares']), { replace: true });
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('place')) revealCurrentPage(this.renderRoot);
  }

  override render() {
    const [current] = this.place.segments;
    const items = TABS.map((tab) => ({
      title: sharingTexts.tabs[tab],
      href: this.context.router.href('sharing', [tab]),
      isCurrent: tab === current,
    }));
    return html`${sectionHead(sharingTexts.title, items)}${this.#page()}`;
  }

  #page(): TemplateResult {
    const { context, place } = this;
    const [tab, id] = place.segments;
    if (id !== undefined && tab !== 'webhooks') return emptyState('help', texts.notFound);
    switch (tab) {
      case 'shares':
        return html`<share-list .context=${context}></share-list>`;
      case 'rules':
        return html`<rule-list .context=${context}></rule-list>`;
      case 'domains':
        return html`<domain-list .context=${context}></domain-list>`;
      case 'webhooks':
        return id === undefined
          ? html`<webhook-list .context=${context}></webhook-list>`
          : html`${keyed(id, html`<webhook-page .context=${context} .place=${place} .webhookId=${id}></webhook-page>`)}`;
      default:
        return tab === undefined ? html`` : emptyState('help', texts.notFound);
    }
  }
}
customElements.define('sharing-section', SharingSection);
