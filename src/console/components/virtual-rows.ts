import type { ReactiveController, ReactiveControllerHost } from 'lit';

export interface VirtualRowsOptions {
  /** Rows that are rendered before and after those in the window. @default 12 */
  margin?: number;
  /** Height of a header before the first row, in pixels. @default the height of a row */
  headerHeight?: number;
}

/** Browsers limit the height of an element. */
const MAX_HEIGHT = 15_000_000;

/** Computes which rows of a table are near the window, while the page scrolls. All rows have the same height. */
export class VirtualRows implements ReactiveController {
  start = 0;
  end = 40;
  #rowHeight = 44;
  /** The frame that updates the rows; 0 if none is requested. */
  #frame = 0;

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly count: () => number,
    private readonly options: VirtualRowsOptions = {},
  ) {
    host.addController(this);
  }

  get #margin(): number {
    return this.options.margin ?? 12;
  }

  get rowHeight(): number {
    return this.#rowHeight;
  }

  set rowHeight(value: number) {
    if (value === this.#rowHeight) return;
    this.#rowHeight = value;
    this.#update();
    this.host.requestUpdate();
  }

  /** Height of the space before the rendered rows, in pixels. */
  get before(): number {
    return this.start * this.#step;
  }

  get after(): number {
    return Math.max(0, this.count() - this.end) * this.#step;
  }

  /** Pixels of scrolling for one row: its height, or less in a table that would be higher than browsers allow. */
  get #step(): number {
    return Math.min(this.rowHeight, MAX_HEIGHT / Math.max(1, this.count()));
  }

  /** Whether more rows should be loaded. */
  get isNearEnd(): boolean {
    return this.end + this.#margin * 2 >= this.count();
  }

  hostConnected(): void {
    addEventListener('scroll', this.#schedule, { passive: true });
    addEventListener('resize', this.#schedule, { passive: true });
    this.#schedule();
  }

  hostDisconnected(): void {
    removeEventListener('scroll', this.#schedule);
    removeEventListener('resize', this.#schedule);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  hostUpdated(): void {
    this.#schedule();
  }

  /** Updates once before the next frame. Measuring at once would lay the page out for each event. */
  #schedule = (): void => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#update();
    });
  };

  /** Scrolls until a row is in the window and below the header. */
  reveal(index: number, header: number): void {
    const top = this.host.getBoundingClientRect().top + (this.options.headerHeight ?? this.rowHeight) + index * this.#step;
    const space = Math.min(this.rowHeight, 64);
    if (top < header + space) scrollBy(0, top - header - space);
    else if (top + this.rowHeight > innerHeight) scrollBy(0, top + this.rowHeight - innerHeight + 8);
    this.#update();
  }

  #update = (): void => {
    const hidden = -this.host.getBoundingClientRect().top / this.#step;
    const first = Math.max(0, Math.floor(hidden) - this.#margin);
    const start = Math.min(first, Math.max(0, this.count() - 1));
    const end = Math.min(this.count(), Math.ceil(hidden + innerHeight / this.rowHeight) + this.#margin);
    // Without rows near the window, the first ones stay, so that the table has a row that Tab reaches.
    const shown = Math.max(end, Math.min(this.count(), start + this.#margin));
    if (start === this.start && shown === this.end) return;
    this.start = start;
    this.end = shown;
    this.host.requestUpdate();
  };
}
