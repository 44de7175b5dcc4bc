import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import type { DataTable } from '../../components/data-table.js';
import type { TileGrid } from '../../components/tile-grid.js';
import { errorLine } from '../../components/describe-error.js';
import { icon } from '../../components/icon.js';
import { KeepFocus } from '../../components/keep-focus.js';
import { banner, emptyState, errorState, noticeStyles } from '../../components/notice.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import { formatNumber } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { showToast } from '../../components/toast.js';
import { openMenu } from '../../components/menu.js';
import { breadcrumbs, breadcrumbStyles } from './breadcrumbs.js';
import { folderHref, prefixOf } from './entries.js';
import type { Entry } from './entries.js';
import { createFolder, deleteEntries, downloadAll, entryMenu, showS3, transfer } from './file-actions.js';
import type { Selection } from './file-actions.js';
import { DetailsInAddress } from './details-in-address.js';
import { DropAnywhere } from './drop-anywhere.js';
import './running-jobs.js';
import { searchBar, searchBarStyles, searchOf } from './search-bar.js';
import { PendingScans } from './pending-scans.js';
import { selectionBar, selectionBarStyles } from './selection-bar.js';
import { FolderListing } from './folder-listing.js';
import type { ListOrder } from './folder-listing.js';
import { fileGrid, fileTable } from './file-list.js';
import type { FileListModel } from './file-list.js';
import { viewChoice, viewChoiceStyles, viewOf } from './view-choice.js';
import { filesTexts } from './texts/texts.js';
import { Thumbnails } from './thumbnails.js';

/** The section Files: a folder with its path, its folders and its files. */
class FilesSection extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    breadcrumbStyles,
    selectionBarStyles,
    searchBarStyles,
    viewChoiceStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        gap: 0.75rem;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: start;
        gap: 0.5rem;
      }
      .bar nav {
        flex: 1 1 12rem;
      }
      @media (max-width: 40rem) {
        .tools {
          inline-size: 100%;
        }
        .tools .primary {
          flex: 1;
        }
        .tools button:not(.primary) {
          inline-size: 2.75rem;
          padding: 0;
          font-size: 0;
          gap: 0;
        }
      }
      /* The last rows can be scrolled above the bar of the selection. */
      .below-bar {
        block-size: 4rem;
      }
      .tools {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
    `,
  ];

  @property({ attribute: false }) context!: ConsoleContext;
  @property({ attribute: false }) place!: Place;
  @query('data-table, tile-grid') private readonly table!: DataTable<Entry> | TileGrid<Entry> | null;
  @state() private selected: ReadonlySet<string> = new Set();
  /** Whether all matches are selected, also those that are not loaded. */
  @state() private isAllSelected = false;
  #listing: FolderListing | undefined;
  /** The listing that replaces the shown one when its first page has loaded. */
  #next: FolderListing | undefined;
  readonly #details = new DetailsInAddress((id) => this.#listing?.findFile(id));
  readonly #thumbnails = new Thumbnails(() => this.table?.requestUpdate());
  readonly #scans = new PendingScans();

  constructor() {
    super();
    const target = () => (this.context.mayWrite ? { storage: this.context.storage, prefix: this.#listing!.prefix } : undefined);
    this.addController(new DropAnywhere(target));
    this.addController(new KeepFocus(this, () => this.renderRoot.querySelector('h1')));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('files-changed', this.#refresh);
    addEventListener('keydown', this.#onKeyDown);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('files-changed', this.#refresh);
    removeEventListener('keydown', this.#onKeyDown);
    this.#listing?.stop();
    this.#next?.stop();
    this.#thumbnails.stop();
    this.#scans.stop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('place') && !changed.has('context')) return;
    const prefix = prefixOf(this.place);
    const order = orderOf(this.place.params);
    const last = this.#listing;
    const search = searchOf(this.place.params);
    const isSame = last?.prefix === prefix && JSON.stringify([last.order, last.search]) === JSON.stringify([order, search]);
    if (isSame && !changed.has('context')) return;
    const isOtherFolder = last !== undefined && last.prefix !== prefix;
    this.#load(prefix, order, search);
    if (!isOtherFolder) return;
    // A person who opened a folder continues at its heading. Screen readers announce it.
    scrollTo(0, 0);
    void this.updateComplete.then(() => this.renderRoot.querySelector('h1')?.focus({ preventScroll: true }));
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('place') || changed.has('context')) void this.#details.show(this.context);
    this.#scans.follow(this.context.storage, this.#listing!);
  }

  #load = (prefix: string, order: ListOrder, search: ReturnType<typeof searchOf>): void => {
    this.#listing?.stop();
    this.#next?.stop();
    this.#thumbnails.stop();
    // A refresh of the last folder must not replace this one.
    this.#next = undefined;
    this.selected = new Set();
    this.isAllSelected = false;
    this.#listing = new FolderListing(this.context.storage, prefix, order, () => this.requestUpdate(), search);
    if (this.table) this.table.current = 0;
    void this.#listing.loadMore();
  };

  /** Loads the folder again and shows the old list until then. */
  #refresh = async (): Promise<void> => {
    const { storage, refreshStats } = this.context;
    refreshStats();
    this.#next?.stop();
    const { prefix, order, entries, search } = this.#listing!;
    const next = (this.#next = new FolderListing(storage, prefix, order, () => this.requestUpdate(), search));
    do await next.loadMore();
    while (next === this.#next && next.hasMore && next.error === undefined && next.entries.length < entries.length);
    if (next !== this.#next) return;
    this.#next = undefined;
    if (next.error !== undefined && entries.length > 0) {
      showToast({ kind: 'problem', text: errorLine(next.error) });
      return;
    }
    this.#listing!.stop();
    this.#listing = next;
    const keys = new Set(next.entries.map(({ key }) => key));
    this.selected = new Set([...this.selected].filter((key) => keys.has(key)));
    this.requestUpdate();
  };

  #open = (entry: Entry): void => {
    const { router } = this.context;
    if (entry.kind === 'folder') router.go(folderHref(router, entry.prefix));
    else this.#details.open(entry.file.id);
  };

  #select = (keys: ReadonlySet<string>): void => {
    this.selected = keys;
    this.isAllSelected = false;
  };

  #chosen = (): Entry[] => this.#listing!.entries.filter(({ key }) => this.selected.has(key));

  #request = async (): Promise<void> => (await import('./request-dialog.js')).openRequest(this.context, this.#listing!.prefix);

  /** The key / leads to the search. */
  #onKeyDown = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (event.key !== '/' || (target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))) return;
    event.preventDefault();
    this.renderRoot.querySelector<HTMLElement>('[type=search]')?.focus();
  };

  #uploadMenu = (event: MouseEvent): void => {
    // The picker opens only within seconds after a click, so the code loads while the person looks at the menu.
    const loaded = import('./upload-panel.js');
    const pick = async (kind: 'files' | 'folder'): Promise<void> => {
      const { uploadPanel } = await loaded;
      await uploadPanel().pick(this.context.storage, this.#listing!.prefix, kind);
    };
    const { upload, uploadFiles, uploadFolder } = filesTexts.actions;
    openMenu(event.currentTarget as Element, upload, [
      { label: uploadFiles, icon: 'file', run: () => void pick('files') },
      { label: uploadFolder, icon: 'folder', run: () => void pick('folder') },
    ]);
  };

  override render() {
    const listing = this.#listing!;
    const { entries, folders } = listing;
    const announced = listing.isLoading ? '' : filesTexts.loaded(formatNumber(folders), formatNumber(entries.length - folders));
    return html`<div class="bar">
        ${breadcrumbs(this.context.router, listing.prefix)}
        <button class="plain icon" aria-label=${filesTexts.refresh} title=${filesTexts.refresh} @click=${this.#refresh}>
          ${icon('refresh')}
        </button>
        ${this.context.mayWrite ? this.#tools(listing.prefix) : nothing}
      </div>
      ${searchBar(this.context.router, viewChoice(this.context.router, viewOf(this.place)))}
      ${this.context.mayWrite ? nothing : banner('note', 'lock', texts.workspace.readOnlyReason)}
      <running-jobs .context=${this.context}></running-jobs>
      <p class="visually-hidden" role="status">${announced}</p>
      ${this.selected.size > 0 ? this.#selectionBar(listing) : nothing} ${this.#content(listing)}
      ${this.selected.size > 0 ? html`<div class="below-bar"></div>` : nothing}`;
  }

  #tools(prefix: string) {
    const { newFolder, request, upload } = filesTexts.actions;
    return html`<div class="tools">
      <button title=${newFolder} @click=${() => void createFolder(this.context, prefix)}>${icon('newFolder')}${newFolder}</button>
      <button title=${request} @click=${this.#request}>${icon('inbox')}${request}</button>
      <button class="primary" aria-haspopup="menu" @click=${this.#uploadMenu}>${icon('upload')}${upload}</button>
    </div>`;
  }

  #selectionBar({ prefix, entries, hasMore, search }: FolderListing) {
    const { context, isAllSelected } = this;
    const chosen = (): Selection => (isAllSelected ? { search: { prefix, ...search } } : { entries: this.#chosen() });
    const mayExtend = hasMore && !isAllSelected && this.selected.size === entries.length && context.mayWrite;
    return selectionBar(isAllSelected ? 'all' : this.selected.size, context.mayWrite, {
      download: () => void downloadAll(context, chosen()),
      s3: () => void showS3(context, isAllSelected ? [] : this.#chosen(), prefix),
      move: () => void transfer(context, 'move', chosen(), prefix),
      copy: () => void transfer(context, 'copy', chosen(), prefix),
      delete: () => void deleteEntries(context, chosen()),
      clear: () => this.#select(new Set()),
      selectAll: mayExtend ? () => (this.isAllSelected = true) : undefined,
    });
  }

  #openMenu = ({ detail }: CustomEvent<{ row: Entry; anchor: Element }>): void =>
    openMenu(
      detail.anchor,
      texts.table.actionsOf(detail.row.name),
      entryMenu(this.context, detail.row, this.#listing!.prefix, this.#open),
    );

  #content(listing: FolderListing) {
    const { entries, error, isLoading } = listing;
    const retry = () => void listing.loadMore();
    if (error !== undefined && entries.length === 0) return errorState(error, retry);
    if (entries.length === 0 && !isLoading && listing.search) return emptyState('search', filesTexts.search.none);
    if (entries.length === 0 && !isLoading)
      return emptyState('folder', this.context.mayWrite ? filesTexts.empty : filesTexts.emptyReadOnly);
    const model: FileListModel = {
      context: this.context,
      listing,
      selected: this.selected,
      thumbnails: this.#thumbnails,
      open: this.#open,
      select: this.#select,
      openMenu: this.#openMenu,
    };
    return html`${viewOf(this.place) === 'grid' ? fileGrid(model) : fileTable(model)}
    ${error === undefined ? nothing : errorState(error, retry)}`;
  }
}
customElements.define('files-section', FilesSection);

function orderOf(params: URLSearchParams): ListOrder {
  const sort = params.get('sort');
  return {
    sort: sort === 'size' || sort === 'updated' ? sort : 'name',
    order: params.get('order') === 'desc' ? 'desc' : 'asc',
  };
}
