import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { property, query } from 'lit/decorators.js';
import type { DataTable, Sort } from '../../components/data-table.js';
import '../../components/data-table.js';
import { icon } from '../../components/icon.js';
import { banner, emptyState, errorState, noticeStyles } from '../../components/notice.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Place } from '../../shell/router.js';
import { base } from '../../styles/base.js';
import { formatNumber } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { breadcrumbs, breadcrumbStyles } from './breadcrumbs.js';
import { folderHref, prefixOf } from './entries.js';
import type { Entry } from './entries.js';
import { fileColumns, fileSecondLine } from './file-columns.js';
import { FolderListing } from './folder-listing.js';
import type { ListOrder } from './folder-listing.js';
import { filesTexts } from './texts/texts.js';

/** The section Files: a folder with its path, its folders and its files. */
class FilesSection extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    breadcrumbStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        gap: 0.75rem;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: 0.5rem;
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
  @query('data-table') private readonly table!: DataTable<Entry> | null;
  #listing: FolderListing | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#listing?.stop();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('place') && !changed.has('context')) return;
    const prefix = prefixOf(this.place);
    const order = orderOf(this.place.params);
    const last = this.#listing;
    const isSame = last?.prefix === prefix && last.order.sort === order.sort && last.order.order === order.order;
    if (isSame && !changed.has('context')) return;
    const isOtherFolder = last !== undefined && last.prefix !== prefix;
    this.#load(prefix, order);
    if (!isOtherFolder) return;
    // A person who opened a folder continues at its heading. Screen readers announce it.
    scrollTo(0, 0);
    void this.updateComplete.then(() => this.renderRoot.querySelector('h1')?.focus({ preventScroll: true }));
  }

  #load = (prefix: string, order: ListOrder): void => {
    this.#listing?.stop();
    this.#listing = new FolderListing(this.context.storage, prefix, order, () => this.requestUpdate());
    if (this.table) this.table.current = 0;
    void this.#listing.loadMore();
  };

  #reload = (): void => this.#load(this.#listing!.prefix, this.#listing!.order);

  #open = (entry: Entry): void => {
    if (entry.kind === 'folder') this.context.router.go(folderHref(this.context.router, entry.prefix));
    else window.open(this.context.storage.url(`/v1/files/${entry.file.id}/content`), '_blank', 'noopener');
  };

  override render() {
    const listing = this.#listing!;
    const { entries, folders } = listing;
    const announced = listing.isLoading ? '' : filesTexts.loaded(formatNumber(folders), formatNumber(entries.length - folders));
    return html`<div class="bar">
        ${breadcrumbs(this.context.router, listing.prefix)}
        <div class="tools">
          <button class="icon" aria-label=${filesTexts.refresh} title=${filesTexts.refresh} @click=${this.#reload}>
            ${icon('refresh')}
          </button>
        </div>
      </div>
      ${this.context.mayWrite ? nothing : banner('note', 'lock', texts.workspace.readOnlyReason)}
      <p class="visually-hidden" role="status">${announced}</p>
      ${this.#content(listing)}`;
  }

  #content(listing: FolderListing) {
    const { entries, error, isLoading, hasMore, order } = listing;
    const retry = () => void listing.loadMore();
    if (error !== undefined && entries.length === 0) return errorState(error, retry);
    if (entries.length === 0 && !isLoading)
      return emptyState('folder', this.context.mayWrite ? filesTexts.empty : filesTexts.emptyReadOnly);
    return html`<data-table
        .label=${filesTexts.title}
        .columns=${fileColumns(this.context, this.#open)}
        .rows=${entries}
        .keyOf=${(entry: Entry) => entry.key}
        .nameOf=${(entry: Entry) => entry.name}
        .secondary=${fileSecondLine}
        .sort=${{ column: order.sort, order: order.order }}
        .isLoading=${isLoading}
        .hasMore=${hasMore && error === undefined}
        @row-open=${(event: CustomEvent<Entry>) => this.#open(event.detail)}
        @sort-change=${({ detail }: CustomEvent<Sort>) =>
          this.context.router.setParams({ sort: detail.column, order: detail.order }, { replace: true })}
        @need-rows=${retry}
      ></data-table>
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
