import { LitElement, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { property, query, state } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { icon } from './icon.js';
import { KeepFocus } from './keep-focus.js';
import { LinePool } from './line-pool.js';
import { skeletonStyles } from './skeleton.js';
import { TableKeys } from './table-keys.js';
import { tileStyles } from './tile-styles.js';
import { VirtualRows } from './virtual-rows.js';

/** Smallest width of a tile, and the space between tiles, in rem. */
const MIN_WIDTH = 8.75;
const GAP = 0.75;
const HEIGHT = 13;
/** Time for which the window must stay before pictures of new tiles load, ms. Tiles that fly past load none. */
const SETTLED_MS = 120;
const LOADING_TILES = 12;

/**
 * A grid of any number of tiles, with the keys, the selection and the events of `data-table`: `row-open`, `row-menu` (detail: row and anchor),
 * `selection-change`, `need-rows`. Only tiles near the window are rendered, and their elements are reused.
 */
export class TileGrid<Row> extends LitElement {
  static override styles = [base, skeletonStyles, tileStyles];

  @property({ attribute: false }) rows: readonly Row[] = [];
  /** Returns a text that identifies a row. */
  @property({ attribute: false }) keyOf: (row: Row) => string = String;
  /** Returns the name of a row, for screen readers. */
  @property({ attribute: false }) nameOf: (row: Row) => string = String;
  /** Renders the content of a tile. @param mayLoad whether its picture may load now */
  @property({ attribute: false }) tile: (row: Row, mayLoad: boolean) => TemplateResult = () => html``;
  /** Keys of selected rows. */
  @property({ attribute: false }) selected: ReadonlySet<string> = new Set();
  @property({ type: Boolean }) hasMenu = false;
  @property({ type: Boolean }) isLoading = false;
  /** Whether more rows follow. */
  @property({ type: Boolean }) hasMore = false;
  /** Name of the grid. */
  @property() label = '';

  /** Tiles of one line. */
  @state() perLine = 4;
  /** Index of the row that the Tab key reaches. */
  @state() current = 0;
  /** First and last line whose pictures may load. */
  @state() private settled: readonly [start: number, end: number] = [0, 0];

  @query('.lines') private readonly parent!: HTMLElement;

  readonly virtual = new VirtualRows(this, () => Math.ceil(this.rows.length / this.perLine), { margin: 3, headerHeight: 0 });
  readonly #keys = new TableKeys(this);
  protected readonly keepFocus = new KeepFocus(this, () => this.renderRoot.querySelector('[data-index][tabindex="0"]'));
  readonly #pool = new LinePool(createLine);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = '';
  readonly #resize = new ResizeObserver(([entry]) => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    this.perLine = Math.max(1, Math.floor((entry!.contentRect.width / rem + GAP) / (MIN_WIDTH + GAP)));
    this.virtual.rowHeight = (HEIGHT + GAP) * rem;
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    clearTimeout(this.#timer);
  }

  override updated(): void {
    const { start, end } = this.virtual;
    this.#pool.show(this.parent, [start, end], this.#line);
    if (this.hasMore && !this.isLoading && this.virtual.isNearEnd) this.dispatchEvent(new Event('need-rows'));
    if (this.#last === `${start} ${end}`) return;
    this.#last = `${start} ${end}`;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.settled = [start, end]), SETTLED_MS);
  }

  /** Focuses the tile that the Tab key reaches. */
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
    const { before, after } = this.virtual;
    const spacer = (height: number) =>
      height > 0 ? html`<div role="presentation" .style=${`height:${height}px`}></div>` : nothing;
    return html`<div
      role="grid"
      aria-label=${this.label}
      aria-rowcount=${this.hasMore ? -1 : Math.ceil(this.rows.length / this.perLine)}
      aria-colcount=${this.perLine}
      aria-multiselectable="true"
      aria-busy=${this.isLoading}
      .style=${`--per-line:${this.perLine}`}
      @keydown=${this.#keys.onKeyDown}
    >
      ${spacer(before)}
      <div class="lines" role="presentation"></div>
      ${spacer(after)}
      ${
        this.isLoading
          ? html`<div class="line" aria-hidden="true" role="presentation">
              ${[...Array(this.rows.length === 0 ? LOADING_TILES : this.perLine)].map(
                () => html`<div class="tile loading"><div class="thumb"></div></div>`,
              )}
            </div>`
          : nothing
      }
    </div>`;
  }

  /** Returns the tiles of a line. */
  #line = (line: number): TemplateResult[] => {
    const first = line * this.perLine;
    const [start, end] = this.settled;
    const mayLoad = line >= start && line < end;
    return this.rows.slice(first, first + this.perLine).map((row, index) => this.#tile(row, first + index, mayLoad));
  };

  #tile(row: Row, index: number, mayLoad: boolean): TemplateResult {
    const name = this.nameOf(row);
    const isSelected = this.selected.has(this.keyOf(row));
    return html`<div
      role="gridcell"
      class="tile"
      data-index=${index}
      aria-colindex=${(index % this.perLine) + 1}
      aria-selected=${String(isSelected)}
      tabindex=${index === Math.min(this.current, this.rows.length - 1) ? 0 : -1}
      @focus=${() => (this.current = index)}
      @click=${(event: MouseEvent) => this.#keys.clicked(event, index)}
      @contextmenu=${(event: MouseEvent) => this.#contextMenu(event, row)}
    >
      ${this.tile(row, mayLoad)}
      <label class="check">
        <input
          type="checkbox"
          tabindex="-1"
          aria-label=${texts.table.selectRow(name)}
          .checked=${isSelected}
          @click=${(event: MouseEvent) => this.#keys.toggled(event, index)}
        />
      </label>
      ${
        this.hasMenu
          ? html`<button
              class="plain icon menu"
              tabindex="-1"
              aria-haspopup="menu"
              aria-label=${texts.table.actionsOf(name)}
              @click=${(event: MouseEvent) => this.openMenuOf(row, event.currentTarget as Element)}
            >
              ${icon('more')}
            </button>`
          : nothing
      }
    </div>`;
  }

  #contextMenu(event: MouseEvent, row: Row): void {
    if (!this.hasMenu || (event.target as Element).closest('a')) return;
    event.preventDefault();
    this.openMenuOf(row, { x: event.clientX, y: event.clientY });
  }
}

function createLine(): HTMLElement {
  const line = document.createElement('div');
  line.className = 'line';
  line.role = 'row';
  return line;
}

customElements.define('tile-grid', TileGrid);
