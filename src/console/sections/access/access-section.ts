import { LitElement, html } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { emptyState, noticeStyles } from '../../components/notice.js';
import { revealCurrentPage, sectionHead, sectionHeadStyles } from '../../components/section-head.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import { texts } from '../../texts/texts.js';
import './app-list.js';
import './key-list.js';
import './s3-list.js';
import { accessTexts } from './texts/texts.js';
import './token-list.js';

const TABS = ['keys', 's3', 'tokens', 'apps'] as const;

/** The section Access: API keys, S3 key pairs, upload tokens and connected applications. */
class AccessSection extends LitElement {
  static override styles = [base, noticeStyles, ...sectionHeadStyles];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;

  override willUpdate(changed: PropertyValues<this>): void {
    const { router, workspace } = this.context;
    if (changed.has('place') && this.place.section === 'access' && this.place.segments.length === 0)
      router.go(router.href('access', [workspace ? 's3' : 'keys']), { replace: true });
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('place')) revealCurrentPage(this.renderRoot);
  }

  override render() {
    const [current] = this.place.segments;
    const items = TABS.map((tab) => ({
      title: accessTexts.tabs[tab],
      href: this.context.router.href('access', [tab]),
      isCurrent: tab === current,
    }));
    return html`${sectionHead(accessTexts.title, items)}${this.#page(current)}`;
  }

  #page(tab: string | undefined): TemplateResult {
    const { context } = this;
    if (tab === 's3') return html`<s3-list .context=${context}></s3-list>`;
    if (tab === 'tokens') {
      // Upload tokens cannot be listed without the permission to write.
      if (!context.mayWrite) return emptyState('lock', accessTexts.tokens.hidden);
      return html`<token-list .context=${context}></token-list>`;
    }
    if (tab !== 'keys' && tab !== 'apps') return tab === undefined ? html`` : emptyState('help', texts.notFound);
    if (context.workspace) {
      const href = context.router.href('access', [tab], { workspace: undefined });
      return emptyState('key', accessTexts.ofAccount, html`<a class="button" href=${href}>${accessTexts.openOwn}</a>`);
    }
    return tab === 'keys' ? html`<key-list .context=${context}></key-list>` : html`<app-list .context=${context}></app-list>`;
  }
}
customElements.define('access-section', AccessSection);
