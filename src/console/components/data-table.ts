import { LitElement, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { icon } from './icon.js';
import { KeepFocus } from './keep-focus.js';
import { skeleton, skeletonStyles } from './skeleton.js';
import { tableStyles } from './table-styles.js';
import { TableKeys } from './table-keys.js';
import { VirtualRows } from './virtual-rows.js';

/** Height of a row with room for two lines, in pixels. */
const ROW_HEIGHT = 44;

export interface Column<Row> {
  id: string;
  title: string;
  cell(row: Row): TemplateResult | string;
  /** Whether a click on the header sorts. @default false */
  isSortable?: boolean;
  /** CSS width. @default the space that is left */
  width?: string;
  /** Whether the values stand at the end of the cell, as numbers do. */
  isNumber?: boolean;
}

export interface Sort {
  column: string;
  order: 'asc' | 'desc';
}

/**
 * A table of any number of rows. Only rows near the window are rendered. On a narrow screen, each row has two lines: its first cell, and
 * `secondary`. Events: `row-open`, `row-menu` (detail: row and anchor), `selection-change`, `sort-change`, `need-rows` (the end comes near).
 */
export class DataTable<Row> extends LitElement {
  static override styles = [base, skeletonStyles, tableStyles];

  @property({ attribute: false }) columns: readonly Column<Row>[] = [];
  @property({ attribute: false }) rows: readonly Row[] = [];
  /** Returns a text that identifies a row. */
  @property({ attribute: false }) keyOf: (row: Row) => string = String;
  /** Returns the name of a row, for screen readers. */
  @property({ attribute: false }) nameOf: (row: Row) => string = String;
  /** The second line of a row on a narrow screen. */
  @property({ attribute: false }) secondary: ((row: Row) => TemplateResult | string) | undefined;
  @property({ attribute: false }) sort: Sort | undefined;
  /** Keys of selected rows. Undefined: rows cannot be selected. */
  @property({ attribute: false }) selected: ReadonlySet<string> | undefined;
  @property({ type: Boolean }) hasMenu = false;
  /** Whether rows are being loaded. The table then ends with rows of bars. */
  @property({ type: Boolean }) isLoading = false;
  /** Whether more rows follow. */
  @property({ type: Boolean }) hasMore = false;
  /** Name of the table. */
  @property() label = '';

  @state() private isNarrow = false;
  /** Index of the row that the Tab key reaches. */
  @state() current = 0;

  readonly virtual = new VirtualRows(this, () => this.rows.length);
  readonly #keys = new TableKeys(this);
  protected readonly keepFocus = new KeepFocus(this, () => this.renderRoot.querySelector('[data-index][tabindex="0"]'));
  readonly #resize = new ResizeObserver(([entry]) => {
    this.isNarrow = entry!.contentRect.width < 560;
    this.virtual.rowHeight = this.isNarrow ? 60 : ROW_HEIGHT;
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  override updated(): void {
    if (this.hasMore && !this.isLoading && this.virtual.isNearEnd) this.dispatchEvent(new Event('need-rows'));
  }

  /** Focuses the row that the Tab key reaches. */
  override focus(): void {
    this.#keys.focusRow(this.current);
  }

  /** Selects rows, and tells the section. */
  select(keys: ReadonlySet<string>): void {
    this.dispatchEvent(new CustomEvent('selection-change', { detail: keys }));
  }

  openMenuOf(row: Row, anchor: Element | { x: number; y: number }): void {
    this.dispatchEvent(new CustomEvent('row-menu', { detail: { row, anchor } }));
  }

  override render() {
    const { start, end, before, after } = this.virtual;
    const shown = this.isNarrow ? this.columns.slice(0, 1) : this.columns;
    const count = shown.length + (this.selected ? 1 : 0) + (this.hasMenu ? 1 : 0);
    const spacer = (height: number) =>
      height > 0
        ? html`<tr class="spacer" role="presentation">
            <td role="presentation" colspan=${count} .style=${`height:${height}px`}></td>
          </tr>`
        : nothing;
    return html`<table
      role="grid"
      aria-label=${this.label}
      aria-rowcount=${this.hasMore ? -1 : this.rows.length + 1}
      aria-multiselectable=${this.selected ? 'true' : nothing}
      aria-busy=${this.isLoading}
      class=${this.isNarrow ? 'narrow' : ''}
      .style=${`--row-height:${this.virtual.rowHeight}px`}
      @keydown=${this.#keys.onKeyDown}
      @mouseover=${nameCutText}
    >
      <thead>
        <tr role="row" aria-rowindex="1">
          ${this.#head(shown)}
        </tr>
      </thead>
      <tbody>
        ${spacer(before)} ${this.rows.slice(start, end).map((row, index) => this.#row(row, start + index, shown))}
        ${spacer(after)}
        ${this.isLoading ? [...Array(this.rows.length === 0 ? 8 : 2)].map(() => this.#loadingRow(shown)) : nothing}
      </tbody>
    </table>`;
  }

  #head(shown: readonly Column<Row>[]) {
    const chosen = this.selected?.size ?? 0;
    const isAll = chosen > 0 && chosen >= this.rows.length;
    return html`${
      this.selected
        ? html`<th role="columnheader" class="check">
            <input
              type="checkbox"
              aria-label=${texts.table.selectAll}
              .checked=${isAll}
              .indeterminate=${chosen > 0 && !isAll}
              ?disabled=${this.rows.length === 0}
              @change=${() => this.select(new Set(isAll ? [] : this.rows.map(this.keyOf)))}
            />
          </th>`
        : nothing
    }
    ${shown.map((column) => {
      const order = this.sort?.column === column.id ? this.sort.order : undefined;
      return html`<th
        role="columnheader"
        class=${column.isNumber ? 'number' : ''}
        .style=${column.width === undefined ? '' : `width:${column.width}`}
        aria-sort=${order === undefined ? nothing : order === 'asc' ? 'ascending' : 'descending'}
      >
        ${
          column.isSortable
            ? html`<button class="plain sort ${order ?? ''}" @click=${() => this.#sortBy(column)}>
                ${column.title}${icon('sort')}
              </button>`
            : column.title
        }
      </th>`;
    })}
    ${this.hasMenu ? html`<th role="columnheader" class="menu"><span class="visually-hidden">${texts.more}</span></th>` : nothing}`;
  }

  #sortBy({ id }: Column<Row>): void {
    const order = this.sort?.column === id && this.sort.order === 'asc' ? 'desc' : 'asc';
    this.dispatchEvent(new CustomEvent('sort-change', { detail: { column: id, order } }));
  }

  #row(row: Row, index: number, shown: readonly Column<Row>[]) {
    const key = this.keyOf(row);
    const name = this.nameOf(row);
    const isSelected = this.selected?.has(key) ?? false;
    return html`<tr
      role="row"
      data-index=${index}
      aria-rowindex=${index + 2}
      aria-selected=${this.selected ? String(isSelected) : nothing}
      tabindex=${index === Math.min(this.current, this.rows.length - 1) ? 0 : -1}
      @focus=${() => (this.current = index)}
      @click=${(event: MouseEvent) => this.#keys.clicked(event, index)}
      @contextmenu=${(event: MouseEvent) => this.#contextMenu(event, row)}
    >
      ${
        this.selected
          ? html`<td role="gridcell" class="check">
              <input
                type="checkbox"
                tabindex="-1"
                aria-label=${texts.table.selectRow(name)}
                .checked=${isSelected}
                @click=${(event: MouseEvent) => this.#keys.toggled(event, index)}
              />
            </td>`
          : nothing
      }
      ${shown.map(
        (column, position) =>
          html`<td role="gridcell" class=${column.isNumber ? 'number' : ''}>
            ${column.cell(row)}
            ${
              this.isNarrow && position === 0 && this.secondary
                ? html`<span class="secondary">${this.secondary(row)}</span>`
                : nothing
            }
          </td>`,
      )}
      ${
        this.hasMenu
          ? html`<td role="gridcell" class="menu">
              <button
                class="plain icon"
                tabindex="-1"
                aria-haspopup="menu"
                aria-label=${texts.table.actionsOf(name)}
                @click=${(event: MouseEvent) => this.openMenuOf(row, event.currentTarget as Element)}
              >
                ${icon('more')}
              </button>
            </td>`
          : nothing
      }
    </tr>`;
  }

  #contextMenu(event: MouseEvent, row: Row): void {
    if (!this.hasMenu || (event.target as Element).closest('a')) return;
    event.preventDefault();
    this.openMenuOf(row, { x: event.clientX, y: event.clientY });
  }

  #loadingRow(shown: readonly Column<Row>[]) {
    return html`<tr class="loading" aria-hidden="true">
      ${this.selected ? html`<td class="check"></td>` : nothing}
      ${shown.map((column) => html`<td class=${column.isNumber ? 'number' : ''}>${skeleton(column.width === undefined ? 'long' : 'short')}</td>`)}
      ${this.hasMenu ? html`<td class="menu"></td>` : nothing}
    </tr>`;
  }
}
customElements.define('data-table', DataTable);

/** Gives a cut text a tooltip when the pointer reaches it. */
function nameCutText(event: MouseEvent): void {
  const path = event.composedPath().filter((node) => node instanceof HTMLElement);
  const inCell = path.slice(0, path.findIndex((node) => node.localName === 'td') + 1);
  const cut = inCell.find((node) => node.scrollWidth > node.clientWidth && node.clientWidth > 0);
  if (cut && !inCell.some((node) => node.title !== '')) cut.title = cut.textContent.trim();
}
