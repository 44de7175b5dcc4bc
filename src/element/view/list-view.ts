import { html } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { UploadItem } from '../../queue/types.js';
import { beforePaint } from '../before-paint.js';
import { styleProperties } from './style-properties.js';
import { renderRow } from './row.js';
import type { RowContext } from './row.js';
import { MAX_UNWINDOWED_ROWS, visibleRows } from './visible-rows.js';

const ROW_HEIGHT = 57;
const VISIBLE_HEIGHT = 6.5 * ROW_HEIGHT;

interface ListHost extends ReactiveControllerHost {
  readonly renderRoot: ParentNode;
  readonly ownerDocument: Document;
  renderNow(): void;
}

/** The row an event comes from, by its place; -1 when from none. */
const rowIndexOf = (target: EventTarget | null): number =>
  Number((target as Element).closest('li')?.getAttribute('aria-posinset') ?? 0) - 1;

/** The rows. Of a long list only those in sight are in the document, however many files there are. */
export class ListView implements ReactiveController {
  #observer: ResizeObserver | undefined;
  #observed: HTMLUListElement | undefined;
  #scrollTop = 0;
  #height = VISIBLE_HEIGHT;
  #rowHeight = ROW_HEIGHT;
  #count = 0;
  /** The row that Tab reaches in a long list. */
  #current = 0;
  #isPrinting = false;
  #window: Window | null = null;

  constructor(private readonly host: ListHost) {
    host.addController(this);
  }

  hostConnected(): void {
    this.#window = this.host.ownerDocument.defaultView;
    this.#window?.addEventListener('beforeprint', this.#printed);
    this.#window?.addEventListener('afterprint', this.#printed);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#observed = undefined;
    this.#window?.removeEventListener('beforeprint', this.#printed);
    this.#window?.removeEventListener('afterprint', this.#printed);
    this.#isPrinting = false;
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

  render(items: readonly UploadItem[], label: string, context: RowContext): TemplateResult {
    const count = items.length;
    const { start, end, before, after } = this.#isPrinting
      ? { start: 0, end: count, before: 0, after: 0 }
      : visibleRows(count, this.#scrollTop, this.#height, this.#rowHeight);
    const long = count > MAX_UNWINDOWED_ROWS;
    this.#count = count;
    this.#current = Math.min(this.#current, count - 1);
    const reached = this.#current < start || this.#current >= end ? start : this.#current;
    return html`<ul
      part="list"
      class="list ${long ? 'long' : ''}"
      role="list"
      aria-label=${label}
      tabindex="-1"
      ${styleProperties({ '--_before': `${before}px`, '--_after': `${after}px` })}
      @scroll=${this.#scrolled}
      @keydown=${this.#pressed}
      @focusin=${this.#focused}
    >
      ${repeat(
        items.slice(start, end),
        (item) => item.id,
        (item, at) => renderRow(item, { index: start + at, count, tabbable: !long || start + at === reached }, context),
      )}
    </ul>`;
  }

  /** Brings a row into sight and gives its button the focus. */
  async focusRow(index: number, part = 'remove-button'): Promise<void> {
    const list = this.#list;
    if (list === undefined || index < 0 || index >= this.#count) return;
    this.#current = index;
    if (list.classList.contains('long')) {
      const top = index * this.#rowHeight;
      if (top < list.scrollTop) list.scrollTop = top;
      if (top + this.#rowHeight > list.scrollTop + this.#height) list.scrollTop = top + this.#rowHeight - this.#height;
      this.#scrollTop = list.scrollTop;
    }
    this.host.requestUpdate();
    await this.host.updateComplete;
    const row = list.querySelector(`[aria-posinset="${index + 1}"]`);
    (row?.querySelector<HTMLElement>(`[part="${part}"]`) ?? row?.querySelector<HTMLElement>('button'))?.focus();
  }

  readonly #focused = (event: FocusEvent): void => {
    const at = rowIndexOf(event.target);
    if (at < 0 || at === this.#current) return;
    this.#current = at;
    this.host.requestUpdate();
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    const row = rowIndexOf(event.target);
    const at = row < 0 ? this.#current : row;
    const page = Math.max(1, Math.floor(this.#height / this.#rowHeight) - 1);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, PageUp: at - page, PageDown: at + page, Home: 0, End: this.#count - 1 }[
      event.key
    ];
    if (event.key === 'Delete')
      (event.target as Element).closest('li')?.querySelector<HTMLElement>('[part="remove-button"]')?.click();
    else if (to === undefined) return;
    else
      void this.focusRow(Math.max(0, Math.min(this.#count - 1, to)), (event.target as Element).getAttribute('part') ?? undefined);
    event.preventDefault();
  };

  /** On paper nobody scrolls. The page may print by script, so the rows have to be there when the listener returns. */
  readonly #printed = ({ type }: Event): void => {
    this.#isPrinting = type === 'beforeprint';
    if (this.#count > MAX_UNWINDOWED_ROWS) this.host.renderNow();
  };

  get #list(): HTMLUListElement | undefined {
    return this.host.renderRoot.querySelector<HTMLUListElement>('.list') ?? undefined;
  }

  readonly #scrolled = (): void => {
    const list = this.#list;
    if (list === undefined) return;
    this.#scrollTop = list.scrollTop;
    const focused = rowIndexOf((list.getRootNode() as ShadowRoot).activeElement ?? list);
    const { start, end } = visibleRows(this.#count, this.#scrollTop, this.#height, this.#rowHeight);
    // The focus must not vanish with its row: the list keeps it, and the arrow keys go on from that row.
    if (focused >= 0 && (focused < start || focused >= end)) list.focus({ preventScroll: true });
    this.host.requestUpdate();
  };

  #measure(): void {
    const list = this.#list;
    // The row with the focus may be higher.
    const first = list?.querySelector('li:not(:focus-within)');
    // Rows on paper are as high as their words need.
    if (list === undefined || !first || this.#isPrinting) return;
    const { height } = first.getBoundingClientRect();
    if (height === this.#rowHeight && list.clientHeight === this.#height) return;
    if (height > 0) this.#rowHeight = height;
    this.#height = list.clientHeight;
    // Not within the observer's own turn, which would have to observe again.
    beforePaint(list, () => this.host.requestUpdate());
  }
}
