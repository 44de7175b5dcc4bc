import { html } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { UploadItem } from '../../queue/types.js';
import { beforePaint } from '../before-paint.js';
import { styleProperties } from './style-properties.js';
import { listLayout } from './file-layout.js';
import type { FileLayout } from './file-layout.js';
import type { RowContext } from './row.js';
import { MAX_UNWINDOWED_ROWS, countColumns, visibleRows } from './visible-rows.js';
import type { ListMeasures, VisibleRange } from './visible-rows.js';

/** The button that takes a file off the list. */
const REMOVING_BUTTON = '[part=remove-button],[part=dismiss-button]';

/** Milliseconds after the last jump until the rows beyond the edges are rendered. */
const REST = 100;

export interface ListHost extends ReactiveControllerHost {
  readonly renderRoot: ParentNode;
  readonly ownerDocument: Document;
  renderNow(): void;
}

/** Returns the index of the row that contains the target of an event; -1 if there is none. */
const rowIndexOf = (target: EventTarget | null): number =>
  Number((target as Element).closest('li')?.getAttribute('aria-posinset') ?? 0) - 1;

/** Renders the files, moves the focus between them, and keeps only the visible ones of a long list in the document. */
export class ListView implements ReactiveController {
  #observer: ResizeObserver | undefined;
  #observed: HTMLUListElement | undefined;
  #scrollTop = 0;
  #layout: FileLayout = listLayout;
  #measures: Readonly<ListMeasures> = listLayout.estimate;
  #count = 0;
  /** Index of the file that Tab reaches in a long list. */
  #currentRow = 0;
  #isPrinting = false;
  /** Key of the element of each file in the document, by the id of the file. */
  #keys: ReadonlyMap<string, number> = new Map();
  #lastKey = 0;
  #window: Window | null = null;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: ListHost) {
    host.addController(this);
  }

  hostConnected(): void {
    this.#window = this.host.ownerDocument.defaultView;
    this.#window?.addEventListener('beforeprint', this.#onPrint);
    this.#window?.addEventListener('afterprint', this.#onPrint);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#observed = undefined;
    this.#window?.removeEventListener('beforeprint', this.#onPrint);
    this.#window?.removeEventListener('afterprint', this.#onPrint);
    this.#isPrinting = false;
    clearTimeout(this.#restTimer);
  }

  hostUpdated(): void {
    const list = this.#list;
    if (list === this.#observed) return;
    this.#observer ??= new ResizeObserver(() => this.#measure());
    this.#observer.disconnect();
    this.#observed = list;
    if (list !== undefined) this.#observer.observe(list);
    else this.#scrollTop = 0;
  }

  render(items: readonly UploadItem[], label: string, context: RowContext, layout: FileLayout): TemplateResult {
    const count = items.length;
    const isLong = count > MAX_UNWINDOWED_ROWS;
    this.#count = count;
    if (layout !== this.#layout) {
      this.#layout = layout;
      this.#measures = layout.estimate;
    }
    const { start, end, before, after } = this.#rangeToRender(items);
    this.#currentRow = Math.min(this.#currentRow, count - 1);
    const tabbableRow = this.#currentRow < start || this.#currentRow >= end ? start : this.#currentRow;
    const visible = items.slice(start, end);
    this.#assignKeys(visible);
    return html`<ul
      part="list"
      class="list ${layout.className} ${isLong ? 'long' : ''}"
      role="list"
      aria-label=${label}
      tabindex="-1"
      ${styleProperties({ '--_before': `${before}px`, '--_after': `${after}px` })}
      @scroll=${this.#onScroll}
      @keydown=${this.#onKeyDown}
      @focusin=${this.#onFocusIn}
    >
      ${repeat(
        visible,
        (item) => this.#keys.get(item.id),
        (item, offset) =>
          layout.renderFile(item, { index: start + offset, count, tabbable: !isLong || start + offset === tabbableRow }, context),
      )}
    </ul>`;
  }

  /**
   * Decides which elements show which files. A file keeps its element. After a jump to another place, its files take over the elements
   * of the last place, because creating them would take twice as long.
   */
  #assignKeys(visible: readonly UploadItem[]): void {
    const keys = this.#keys;
    const isJump = !visible.some(({ id }) => keys.has(id));
    const free = isJump ? [...keys.values()] : [];
    this.#keys = new Map(visible.map(({ id }, index) => [id, keys.get(id) ?? free[index] ?? ++this.#lastKey]));
  }

  /** Returns the rows to render. Rows beyond the edges follow when the list rests after a jump, so that a frame of fast scrolling lays out less. */
  #rangeToRender(items: readonly UploadItem[]): VisibleRange {
    const range = this.#visibleRange;
    const isJump = this.#keys.size > 0 && !items.slice(range.start, range.end).some(({ id }) => this.#keys.has(id));
    if (!isJump || this.#isPrinting) return range;
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => this.host.requestUpdate(), REST);
    return visibleRows(this.#count, this.#scrollTop, this.#measures, 0);
  }

  get #visibleRange(): VisibleRange {
    if (this.#isPrinting) return { start: 0, end: this.#count, before: 0, after: 0 };
    return visibleRows(this.#count, this.#scrollTop, this.#measures, this.#layout.margin);
  }

  /** Scrolls a file into view and focuses one of its buttons. */
  async focusRow(index: number, part = 'remove-button'): Promise<void> {
    const list = this.#list;
    if (list === undefined || index < 0 || index >= this.#count) return;
    this.#currentRow = index;
    if (list.classList.contains('long')) {
      const { height, rowHeight, columns } = this.#measures;
      const top = Math.floor(index / columns) * rowHeight;
      if (top < list.scrollTop) list.scrollTop = top;
      if (top + rowHeight > list.scrollTop + height) list.scrollTop = top + rowHeight - height;
      this.#scrollTop = list.scrollTop;
    }
    this.host.requestUpdate();
    await this.host.updateComplete;
    const row = list.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"]`);
    const findButton = (selector: string) => row?.querySelector<HTMLElement>(selector);
    (findButton(`[part="${part}"]`) ?? findButton(REMOVING_BUTTON) ?? findButton('button') ?? row)?.focus();
  }

  readonly #onFocusIn = (event: FocusEvent): void => {
    const index = rowIndexOf(event.target);
    if (index < 0 || index === this.#currentRow) return;
    this.#currentRow = index;
    this.host.requestUpdate();
  };

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    const button = event.target as Element;
    // In a field, these keys move the cursor and change the text.
    if (button.closest('.fields')) return;
    if (event.key === 'Delete') {
      button.closest('li')?.querySelector<HTMLElement>(REMOVING_BUTTON)?.click();
      event.preventDefault();
      return;
    }
    const index = this.#targetIndex(event);
    if (index === undefined) return;
    void this.focusRow(index, button.getAttribute('part') ?? undefined);
    event.preventDefault();
  };

  /** Index of the file that a key moves to; undefined for other keys. */
  #targetIndex({ key, target }: KeyboardEvent): number | undefined {
    const focusedRow = rowIndexOf(target);
    const current = focusedRow < 0 ? this.#currentRow : focusedRow;
    const { height, rowHeight, columns } = this.#measures;
    const last = this.#count - 1;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    /** Moves by rows and keeps the column. The last row may lack it. */
    const moveRows = (rows: number) => {
      const column = current % columns;
      const row = Math.max(0, Math.min(Math.floor(last / columns), Math.floor(current / columns) + rows));
      return Math.min(last, row * columns + column);
    };
    const moveFiles = (files: number) => (this.#layout.hasColumns ? Math.max(0, Math.min(last, current + files)) : undefined);
    const forward = getComputedStyle(target as Element).direction === 'rtl' ? -1 : 1;
    switch (key) {
      case 'ArrowUp':
        return moveRows(-1);
      case 'ArrowDown':
        return moveRows(1);
      case 'ArrowLeft':
        return moveFiles(-forward);
      case 'ArrowRight':
        return moveFiles(forward);
      case 'PageUp':
        return moveRows(-page);
      case 'PageDown':
        return moveRows(page);
      case 'Home':
        return 0;
      case 'End':
        return last;
      default:
        return undefined;
    }
  }

  /** Renders all rows for printing. The browser prints as soon as the listener returns. */
  readonly #onPrint = ({ type }: Event): void => {
    this.#isPrinting = type === 'beforeprint';
    if (this.#count > MAX_UNWINDOWED_ROWS) this.host.renderNow();
  };

  get #list(): HTMLUListElement | undefined {
    return this.host.renderRoot.querySelector<HTMLUListElement>('.list') ?? undefined;
  }

  readonly #onScroll = (): void => {
    const list = this.#list;
    if (list === undefined) return;
    this.#scrollTop = list.scrollTop;
    const focused = rowIndexOf((list.getRootNode() as ShadowRoot).activeElement ?? list);
    const { start, end } = this.#visibleRange;
    // If the focused row leaves the document, the list takes the focus. The arrow keys continue from that row.
    if (focused >= 0 && (focused < start || focused >= end)) list.focus({ preventScroll: true });
    this.host.requestUpdate();
  };

  #measure(): void {
    const list = this.#list;
    // The row with the focus may be higher than the others.
    const row = list?.querySelector('li:not(:focus-within)');
    // Printed rows are as high as their text.
    if (list === undefined || !row || this.#isPrinting) return;
    const { height: fileHeight } = row.getBoundingClientRect();
    if (fileHeight === 0) return;
    const rowHeight = fileHeight + (Number.parseFloat(getComputedStyle(list).rowGap) || 0);
    const measures = { height: list.clientHeight, rowHeight, columns: countColumns(list) };
    const { height, columns } = this.#measures;
    if (measures.height === height && rowHeight === this.#measures.rowHeight && measures.columns === columns) return;
    this.#measures = measures;
    // Rendering inside the observer's callback would cause a resize loop.
    beforePaint(list, () => this.host.requestUpdate());
  }
}
