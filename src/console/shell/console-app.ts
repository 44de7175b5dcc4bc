import { LitElement, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { query, state } from 'lit/decorators.js';
import { isAbort } from '../api/api-error.js';
import { icon } from '../components/icon.js';
import { banner, emptyState, errorState, noticeStyles } from '../components/notice.js';
import { NEARLY_FULL } from '../components/usage-meter.js';
import { skeleton, skeletonStyles } from '../components/skeleton.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { appStyles } from './app-styles.js';
import type { ConsoleContext, Section } from './context.js';
import { contextFor, loadProfile, loadStats } from './load-context.js';
import type { Profile } from './load-context.js';
import { openHelp } from './help.js';
import { Router } from './router.js';
import { SECTIONS } from './sections.js';
import { sidebar } from './sidebar.js';

/** The frame of the console: navigation, storage, account, and the section that the address names. */
class ConsoleApp extends LitElement {
  static override styles = [base, noticeStyles, skeletonStyles, appStyles];

  @state() private profile: Profile | undefined;
  @state() private context: ConsoleContext | undefined;
  @state() private section: Section | undefined;
  @state() private error: unknown;
  @state() private isOnline = navigator.onLine;
  @query('#drawer') private readonly drawer!: HTMLDialogElement;
  readonly #router = new Router();
  #sectionId: string | undefined;
  #isChecking = false;
  #statsRequest = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#router.start();
    this.#router.addEventListener('change', this.#onPlaceChange);
    for (const type of ['online', 'offline']) addEventListener(type, () => (this.isOnline = navigator.onLine));
    addEventListener('keydown', this.#onKeyDown);
    addEventListener('access-denied', this.#checkAccess);
    this.#start();
  }

  #start = (): void => {
    this.error = undefined;
    loadProfile(AbortSignal.timeout(60_000)).then(
      (profile) => {
        this.profile = profile;
        this.#onPlaceChange();
      },
      (error: unknown) => (this.error = error),
    );
  };

  #onPlaceChange = (): void => {
    const { place } = this.#router;
    if (this.drawer?.open) this.drawer.close();
    if (place.section === '') {
      this.#router.go(this.#router.href(SECTIONS[0]!.id), { replace: true });
      return;
    }
    if (!this.profile) return;
    const workspaceId = place.params.get('workspace') ?? undefined;
    if (!this.context || this.context.storage.workspaceId !== workspaceId) this.#setContext(this.profile);
    if (place.section !== this.#sectionId) this.#loadSection();
    this.requestUpdate();
  };

  #setContext(profile: Profile): void {
    this.context = contextFor(profile, this.#router, {
      refreshStats: this.#refreshStats,
      refreshProfile: this.#refreshProfile,
    });
    this.#refreshStats();
  }

  #refreshProfile = async (): Promise<void> => {
    this.profile = await loadProfile(AbortSignal.timeout(60_000));
    this.#setContext(this.profile);
  };

  /** Shows only what the user may still do, after the service has denied something that the page offered. */
  #checkAccess = async (): Promise<void> => {
    const { profile } = this;
    if (!profile || this.#isChecking) return;
    this.#isChecking = true;
    const read = await loadProfile(AbortSignal.timeout(60_000)).catch(() => profile);
    this.#isChecking = false;
    if (accessOf(read) === accessOf(profile)) return;
    this.profile = read;
    this.#setContext(read);
  };

  #refreshStats = (): void => {
    this.#statsRequest.abort();
    this.#statsRequest = new AbortController();
    const { context } = this;
    if (!context || context.problem) return;
    loadStats(context, this.#statsRequest.signal).then(
      (stats) => {
        if (this.context === context) this.context = Object.assign(context, { stats });
        this.requestUpdate();
      },
      // The meter is no reason to disturb.
      () => {},
    );
  };

  #loadSection = (): void => {
    const id = (this.#sectionId = this.#router.place.section);
    const isFirst = this.section === undefined;
    this.section = undefined;
    this.error = undefined;
    const entry = SECTIONS.find((candidate) => candidate.id === id);
    document.title = entry ? `${texts.sections[entry.id]} · ${texts.product}` : texts.product;
    entry?.load().then(
      (section) => {
        if (id !== this.#sectionId) return;
        this.section = section;
        // The first page leaves the focus at its start.
        if (!isFirst) void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('main')?.focus());
      },
      (error: unknown) => {
        if (id !== this.#sectionId || isAbort(error)) return;
        this.#sectionId = undefined;
        this.error = error;
      },
    );
  };

  #onKeyDown = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (event.key !== '?' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void openHelp();
  };

  override render() {
    const { profile, context } = this;
    const model = { profile, context, router: this.#router, openHelp };
    return html`<header>
        <button class="skip primary" @click=${this.#skip}>${texts.skipToContent}</button>
        <div class="top">
          <button
            class="plain icon"
            aria-label=${texts.openNavigation}
            aria-haspopup="dialog"
            @click=${() => this.drawer.showModal()}
          >
            ${icon('menu')}
          </button>
          <strong>${texts.product}</strong>
        </div>
      </header>
      <aside class="side" aria-label=${texts.product}>${sidebar(model)}</aside>
      <dialog id="drawer" aria-label=${texts.navigation} @click=${this.#onDrawerClick}>
        <button class="plain icon close" aria-label=${texts.close} @click=${() => this.drawer.close()}>${icon('close')}</button>
        ${sidebar(model)}
      </dialog>
      <main id="main" tabindex="-1">
        ${this.isOnline ? nothing : banner('warning', 'offline', texts.offline)} ${quotaBanner(this.context)} ${this.#content()}
      </main>`;
  }

  #skip = (): void => {
    this.renderRoot.querySelector<HTMLElement>('main')?.focus();
  };

  /** A click beside the drawer closes it. */
  #onDrawerClick = (event: MouseEvent): void => {
    if (event.target === this.drawer && event.offsetX > this.drawer.offsetWidth) this.drawer.close();
  };

  #content(): TemplateResult {
    const { context, section } = this;
    if (this.error !== undefined) return errorState(this.error, this.profile ? this.#loadSection : this.#start);
    if (context === undefined) return pageSkeleton;
    const { place } = this.#router;
    const entry = SECTIONS.find(({ id }) => id === place.section);
    if (context.problem && !entry?.needsNoStorage) {
      const own = this.#router.href('files', [], { workspace: undefined });
      const action = html`<a class="button" href=${own}>${texts.workspace.showOwn}</a>`;
      return emptyState(context.problem === 'unknown' ? 'help' : 'lock', texts.workspace[context.problem], action);
    }
    if (!entry || place.segments.length > entry.depth) {
      const action = html`<a class="button" href=${this.#router.href('files')}>${texts.notFound.action}</a>`;
      return emptyState('help', texts.notFound, action);
    }
    return section?.render(context, place) ?? pageSkeleton;
  }
}
customElements.define('console-app', ConsoleApp);

/** Returns a text that differs when the user gains or loses access to a workspace. */
const accessOf = ({ workspaces }: Profile): string => JSON.stringify(workspaces.map(({ id, permissions }) => [id, permissions]));

function quotaBanner(context: ConsoleContext | undefined) {
  if (!context?.stats?.quota_bytes) return nothing;
  const part = context.stats.bytes / context.stats.quota_bytes;
  if (part < NEARLY_FULL) return nothing;
  return part < 1 ? banner('warning', 'warning', texts.quota.nearlyFull) : banner('problem', 'warning', texts.quota.full);
}

const pageSkeleton = html`<div class="page-skeleton" aria-hidden="true">${skeleton()}${skeleton()}${skeleton()}</div>`;
