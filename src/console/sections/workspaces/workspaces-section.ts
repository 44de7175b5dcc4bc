import { LitElement, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { Resource } from '../../api/resource.js';
import { backLink, backLinkStyles } from '../../components/back-link.js';
import { errorState, emptyState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { skeleton, skeletonStyles } from '../../components/skeleton.js';
import { subNavigation, subNavigationStyles } from '../../components/sub-navigation.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import { texts } from '../../texts/texts.js';
import './workspace-list.js';
import type { WorkspaceDetails } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import { PAGES, WorkspaceView } from './workspace-view.js';
import type { WorkspacePage } from './workspace-view.js';
import { renderPage } from './render-page.js';

const SECTION = 'workspaces';

/** The section Workspaces: the list, or one workspace with its pages. */
class WorkspacesSection extends LitElement {
  static override styles = [base, noticeStyles, skeletonStyles, panelStyles, subNavigationStyles, backLinkStyles];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;
  #details: Resource<WorkspaceDetails> | undefined;
  #id: string | undefined;
  /** The page whose link was scrolled into the window. */
  #revealed: string | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.#refreshVisible);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.#refreshVisible);
    this.#details?.stop();
  }

  /** Members may have joined while the person was in another tab. */
  #refreshVisible = (): void => {
    if (!document.hidden) void this.#details?.refresh();
  };

  override willUpdate(changed: PropertyValues<this>): void {
    const [id, page] = this.place.segments;
    if (id !== undefined && page === undefined) {
      const href = this.context.router.href(SECTION, [id, PAGES[0]]);
      // The address changes after this render.
      queueMicrotask(() => this.context.router.go(href, { replace: true }));
    }
    if (id !== this.#id) this.#open(id);
    else if (changed.has('context') && changed.get('context') !== undefined) void this.#details?.load();
    else if (page !== changed.get('place')?.segments[1]) void this.#details?.refresh();
  }

  /** On a phone, the link of the current page may lie outside of the window. */
  override updated(): void {
    const link = this.renderRoot.querySelector('.sub-pages [aria-current]');
    const page = this.place.segments[1];
    if (!link || page === this.#revealed) return;
    this.#revealed = page;
    link.scrollIntoView({ block: 'nearest', inline: 'center' });
  }

  #open(id: string | undefined): void {
    this.#details?.stop();
    this.#id = id;
    this.#details =
      id === undefined
        ? undefined
        : new Resource(
            (signal) => this.context.account.get<WorkspaceDetails>(`/v1/workspaces/${encodeURIComponent(id)}`, { signal }),
            () => this.requestUpdate(),
          );
    void this.#details?.load();
  }

  override render(): TemplateResult {
    const { context } = this;
    if (!this.#details) return html`<workspace-list .context=${context}></workspace-list>`;
    const { value, error } = this.#details;
    if (error !== undefined) return this.#problem(error);
    return html`<div>
        <nav aria-label=${workspacesTexts.title}>${backLink(context.router.href(SECTION), workspacesTexts.title)}</nav>
        <h1><bdi>${value?.name ?? skeleton()}</bdi></h1>
        <p class="muted">${value ? this.#subtitle(value) : skeleton()}</p>
      </div>
      ${this.#pages()} ${value ? this.#page(value) : this.#waiting()}`;
  }

  #subtitle({ owner, owner_id: ownerId }: WorkspaceDetails): string {
    return ownerId === this.context.user.id ? workspacesTexts.youOwn : workspacesTexts.ownedBy(owner.name);
  }

  #problem(error: unknown): TemplateResult {
    const isUnknown = error instanceof Error && 'status' in error && error.status === 404;
    if (!isUnknown) return errorState(error, () => void this.#details?.load());
    const back = html`<a class="button" href=${this.context.router.href(SECTION)}>${workspacesTexts.backToList}</a>`;
    return emptyState('users', texts.workspace.unknown, back);
  }

  #pages(): TemplateResult {
    const current = this.place.segments[1];
    const pages = PAGES.map((page) => ({
      title: workspacesTexts.pages[page],
      href: this.context.router.href(SECTION, [this.#id!, page]),
      isCurrent: page === current,
    }));
    return subNavigation(workspacesTexts.pagesLabel, pages);
  }

  #page(details: WorkspaceDetails): TemplateResult | typeof nothing {
    const page = this.place.segments[1];
    if (!isPage(page)) return page === undefined ? nothing : emptyState('help', texts.notFound);
    return renderPage(page, new WorkspaceView(this.context, details, this.#details!.load));
  }

  #waiting(): TemplateResult {
    return html`<div class="panel" aria-hidden="true">${skeleton()}${skeleton()}${skeleton()}</div>`;
  }
}
customElements.define('workspaces-section', WorkspacesSection);

const isPage = (text: string | undefined): text is WorkspacePage => PAGES.includes(text as WorkspacePage);
