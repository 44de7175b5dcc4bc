import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Sort } from '../../components/data-table.js';
import '../../components/data-table.js';
import '../../components/tile-grid.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Entry } from './entries.js';
import { fileColumns, fileSecondLine } from './file-columns.js';
import { fileTile } from './file-tile.js';
import type { FolderListing } from './folder-listing.js';
import { filesTexts } from './texts/texts.js';
import type { Thumbnails } from './thumbnails.js';
import { gridOrder } from './view-choice.js';

/** Data and actions of the table and the grid. */
export interface FileListModel {
  context: ConsoleContext;
  listing: FolderListing;
  selected: ReadonlySet<string>;
  thumbnails: Thumbnails;
  open(entry: Entry): void;
  select(keys: ReadonlySet<string>): void;
  openMenu(event: CustomEvent<{ row: Entry; anchor: Element }>): void;
}

const keyOf = ({ key }: Entry): string => key;
const nameOf = ({ name }: Entry): string => name;

export function fileTable({ context, listing, selected, open, select, openMenu }: FileListModel): TemplateResult {
  const { entries, isLoading, hasMore, order, search, prefix, error } = listing;
  return html`<data-table
    .label=${filesTexts.title}
    .columns=${fileColumns(context, open, search && prefix)}
    .rows=${entries}
    .keyOf=${keyOf}
    .nameOf=${nameOf}
    .secondary=${fileSecondLine}
    .selected=${selected}
    .hasMenu=${true}
    .sort=${{ column: order.sort, order: order.order }}
    .isLoading=${isLoading}
    .hasMore=${hasMore && error === undefined}
    @selection-change=${(event: CustomEvent<ReadonlySet<string>>) => select(event.detail)}
    @row-menu=${openMenu}
    @row-open=${(event: CustomEvent<Entry>) => open(event.detail)}
    @sort-change=${({ detail }: CustomEvent<Sort>) =>
      context.router.setParams({ sort: detail.column, order: detail.order }, { replace: true })}
    @need-rows=${() => void listing.loadMore()}
  ></data-table>`;
}

export function fileGrid({ context, listing, selected, thumbnails, open, select, openMenu }: FileListModel): TemplateResult {
  const { entries, isLoading, hasMore, order, search, prefix, error } = listing;
  const isAll = entries.length > 0 && selected.size >= entries.length;
  return html`<div class="above-grid">
      <label class="all">
        <input
          type="checkbox"
          .checked=${isAll}
          .indeterminate=${selected.size > 0 && !isAll}
          ?disabled=${entries.length === 0}
          @change=${() => select(new Set(isAll ? [] : entries.map(keyOf)))}
        />
        ${filesTexts.views.selectAll}
      </label>
      ${gridOrder(context.router, order)}
    </div>
    <tile-grid
      .label=${filesTexts.title}
      .tile=${fileTile(context, thumbnails, open, search && prefix)}
      .rows=${entries}
      .keyOf=${keyOf}
      .nameOf=${nameOf}
      .selected=${selected}
      .hasMenu=${true}
      .isLoading=${isLoading}
      .hasMore=${hasMore && error === undefined}
      @selection-change=${(event: CustomEvent<ReadonlySet<string>>) => select(event.detail)}
      @row-menu=${openMenu}
      @row-open=${(event: CustomEvent<Entry>) => open(event.detail)}
      @need-rows=${() => void listing.loadMore()}
    ></tile-grid>`;
}
