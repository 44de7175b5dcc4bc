import type { LitElement } from 'lit';
import type { VirtualRows } from './virtual-rows.js';

/** The table that the keys control. */
export interface KeyboardTable extends LitElement {
  readonly rows: readonly unknown[];
  readonly selected: ReadonlySet<string> | undefined;
  readonly hasMenu: boolean;
  /** Rows of the list in one line of a grid. @default 1 */
  readonly perLine?: number;
  readonly virtual: VirtualRows;
  /** Index of the row that the Tab key reaches. */
  current: number;
  readonly keyOf: (row: never) => string;
  select(keys: ReadonlySet<string>): void;
  openMenuOf(row: never, anchor: Element): void;
}

/** Rows that Page Up and Page Down skip. */
const PAGE = 12;

/** Keys and clicks of a table: moving, opening, selecting single rows and ranges. */
export class TableKeys {
  /** The row where a range begins. */
  #anchor = 0;

  constructor(private readonly table: KeyboardTable) {}

  onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as Element).closest('[data-index]');
    if (!row || event.target !== row) {
      if (event.key === 'Escape' && row) this.focusRow(this.table.current);
      return;
    }
    const { current } = this.table;
    const last = this.table.rows.length - 1;
    const target = this.#targetOf(event.key, current, last);
    if (target !== undefined) {
      event.preventDefault();
      if (event.shiftKey && this.table.selected) this.#selectRange(target);
      else this.#anchor = target;
      this.focusRow(target);
    } else if (this.#act(event, current)) event.preventDefault();
  };

  /** Returns the row to which a key leads; undefined for other keys. */
  #targetOf(key: string, current: number, last: number): number | undefined {
    const { perLine = 1 } = this.table;
    const isRtl = this.table.matches(':dir(rtl)');
    const page = Math.max(1, Math.floor(PAGE / perLine)) * perLine;
    const steps: Record<string, number> = {
      ArrowDown: perLine,
      ArrowUp: current < perLine ? 0 : -perLine,
      PageDown: page,
      PageUp: -page,
      Home: -current,
      End: last - current,
      ...(perLine > 1 && { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }),
    };
    const step = steps[key];
    return step === undefined ? undefined : Math.max(0, Math.min(current + step, last));
  }

  /** Acts on a row. @returns false if the key means nothing */
  #act(event: KeyboardEvent, index: number): boolean {
    const { table } = this;
    const row = table.rows[index];
    if (row === undefined) return false;
    if (event.key === 'Enter') table.dispatchEvent(new CustomEvent('row-open', { detail: row }));
    else if (event.key === ' ' && table.selected) this.#toggle(index);
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey) && table.selected)
      table.select(new Set(this.#keysOf(0, table.rows.length)));
    else if (event.key === 'Escape' && table.selected && table.selected.size > 0) table.select(new Set());
    else if (table.hasMenu && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)))
      table.openMenuOf(row as never, event.target as Element);
    else return false;
    return true;
  }

  /** A click beside links and buttons selects the row, or opens it if rows cannot be selected. */
  clicked(event: MouseEvent, index: number): void {
    if ((event.target as Element).closest('a, button, input, label')) return;
    const { table } = this;
    if (!table.selected) table.dispatchEvent(new CustomEvent('row-open', { detail: table.rows[index] }));
    else if (event.shiftKey) this.#selectRange(index);
    else this.#toggle(index);
    this.focusRow(index);
  }

  /** A click on the check box of a row. */
  toggled(event: MouseEvent, index: number): void {
    if (event.shiftKey) this.#selectRange(index);
    else this.#toggle(index);
  }

  #keysOf = (start: number, end: number): string[] =>
    this.table.rows.slice(start, end).map((row) => this.table.keyOf(row as never));

  #toggle(index: number): void {
    this.#anchor = index;
    const keys = new Set(this.table.selected);
    const [key] = this.#keysOf(index, index + 1) as [string];
    if (!keys.delete(key)) keys.add(key);
    this.table.select(keys);
  }

  #selectRange(to: number): void {
    const [start, end] = [Math.min(this.#anchor, to), Math.max(this.#anchor, to)];
    const added = this.#keysOf(start, end + 1);
    this.table.select(new Set([...this.table.selected!, ...added]));
  }

  /** Focuses a row. A row outside of the window is rendered first. */
  focusRow(index: number): void {
    const { table } = this;
    table.current = index;
    const header = table.renderRoot.querySelector('thead')?.getBoundingClientRect();
    table.virtual.reveal(Math.floor(index / (table.perLine ?? 1)), Math.max(0, header?.bottom ?? 0));
    table.requestUpdate();
    void table.updateComplete.then(() =>
      table.renderRoot.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true }),
    );
  }
}
