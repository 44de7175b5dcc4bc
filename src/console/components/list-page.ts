import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import { ApiError, isAbort } from '../api/api-error.js';
import type { ConsoleContext } from '../shell/context.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import type { Column } from './data-table.js';
import './data-table.js';
import { errorLine } from './describe-error.js';
import { icon } from './icon.js';
import type { IconName } from './icon.js';
import { KeepFocus } from './keep-focus.js';
import { openMenu } from './menu.js';
import type { MenuItem } from './menu.js';
import { banner, emptyState, errorState, noticeStyles } from './notice.js';
import { showToast } from './toast.js';

/** Texts, columns and actions of a list. */
export interface ListView<Row> {
  /** Name of the table. */
  label: string;
  /** A sentence above the list. */
  intro: string | TemplateResult;
  icon: IconName;
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  nameOf(row: Row): string;
  /** The second line of a row on a phone. */
  secondary(row: Row): TemplateResult | string;
  open(row: Row): void;
  menuOf?(row: Row): readonly MenuItem[];
  /** The action that adds a row. */
  create?: { label: string; run(): Promise<void> };
  empty: { title: string; text: string };
  /** Controls before the actions, such as a filter. */
  tools?: TemplateResult;
}

export interface ListPageResult<Row> {
  rows: readonly Row[];
  /** Start of the next page; null after the last one. */
  cursor: string | null;
}

/** Styles of a page below the tabs of a section. */
export const pageStyles = css`
  :host {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
  }
  .intro {
    display: flex;
    flex-wrap: wrap;
    align-items: start;
    justify-content: space-between;
    gap: 0.75rem;
  }
  .intro > p {
    flex: 1 1 18rem;
    max-inline-size: 44rem;
    color: var(--muted);
  }
  .tools {
    display: flex;
    gap: 0.5rem;
  }
  .tools select {
    inline-size: auto;
  }
  @media (pointer: fine) {
    .tools select {
      min-block-size: 2rem;
    }
  }
`;

/** A page with one list of records: intro, actions, table, and what stands there while it is empty. */
export abstract class ListPage<Row> extends LitElement {
  static override styles = [base, noticeStyles, pageStyles];

  @property({ attribute: false }) context!: ConsoleContext;
  @state() protected rows: readonly Row[] = [];
  @state() private isLoading = true;
  @state() private error: unknown;
  protected readonly keepFocus = new KeepFocus(this, () => this.renderRoot.querySelector('.state button, .tools button'));
  #cursor: string | null = null;
  #stop = new AbortController();

  protected abstract view(): ListView<Row>;
  /** Loads a page. @param cursor undefined for the first one */
  protected abstract load(cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<Row>>;

  /** Ends with the page. */
  protected get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether the list belongs to the storage, so that a member who may only read cannot change it. */
  protected get isReadOnly(): boolean {
    return !this.context.mayWrite;
  }

  /** The reason for a disabled action in a menu. */
  protected get readOnlyReason(): string | undefined {
    return this.isReadOnly ? texts.workspace.readOnlyReason : undefined;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('context');
    if (changed.has('context') && before?.storage !== this.context.storage) this.#restart();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
  }

  #restart(): void {
    this.rows = [];
    void this.reload();
  }

  /** Loads the list again. The rows stay until the new ones arrive. */
  protected reload = async (): Promise<void> => {
    this.#stop.abort();
    this.#stop = new AbortController();
    await this.#loadPage(undefined);
  };

  /**
   * Replaces the start of the list by its first page, which has been read again. Later pages stay.
   * @param follows whether a row stands after another one
   */
  protected replaceStart(page: ListPageResult<Row>, follows: (row: Row, other: Row) => boolean): void {
    if (this.isLoading) return;
    const last = page.rows.at(-1);
    const kept = page.cursor === null || last === undefined ? [] : this.rows.filter((row) => follows(row, last));
    this.rows = [...page.rows, ...kept];
    if (kept.length === 0) this.#cursor = page.cursor;
  }

  #loadMore = (): void => {
    if (!this.isLoading && this.#cursor !== null) void this.#loadPage(this.#cursor);
  };

  async #loadPage(cursor: string | undefined): Promise<void> {
    const { signal } = this;
    this.isLoading = true;
    this.error = undefined;
    try {
      const page = await this.load(cursor, signal);
      if (signal.aborted) return;
      this.rows = cursor === undefined ? page.rows : [...this.rows, ...page.rows];
      this.#cursor = page.cursor;
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      this.error = error;
    }
    this.isLoading = false;
  }

  /** Runs an action, reports how it ended, and loads the list again. @returns whether it succeeded */
  protected async act(action: () => Promise<unknown>, done: string): Promise<boolean> {
    try {
      await action();
    } catch (error) {
      showToast({ text: errorLine(error), kind: 'problem' });
      // Someone else has deleted the record.
      if (error instanceof ApiError && error.status === 404) await this.reload();
      return false;
    }
    showToast({ text: done });
    await this.reload();
    return true;
  }

  override render() {
    const view = this.view();
    return html`<div class="intro">
        <p>${view.intro}</p>
        <div class="tools">
          ${view.tools ?? nothing}
          <button class="icon" aria-label=${texts.refresh} title=${texts.refresh} @click=${this.reload}>
            ${icon('refresh')}
          </button>
          ${this.rows.length > 0 ? this.#createButton(view) : nothing}
        </div>
      </div>
      ${this.isReadOnly ? banner('note', 'lock', texts.workspace.readOnlyReason) : nothing} ${this.#content(view)}`;
  }

  #createButton({ create }: ListView<Row>): TemplateResult | typeof nothing {
    if (!create || this.isReadOnly) return nothing;
    return html`<button class="primary" @click=${create.run}>${icon('plus')}${create.label}</button>`;
  }

  #content(view: ListView<Row>) {
    const { rows, error, isLoading } = this;
    if (error !== undefined && rows.length === 0) return errorState(error, this.reload);
    if (rows.length === 0 && !isLoading) {
      const button = this.#createButton(view);
      return emptyState(view.icon, view.empty, button === nothing ? undefined : (button as TemplateResult));
    }
    return html`<data-table
        .label=${view.label}
        .columns=${view.columns}
        .rows=${rows}
        .keyOf=${view.keyOf}
        .nameOf=${view.nameOf}
        .secondary=${view.secondary}
        .hasMenu=${view.menuOf !== undefined}
        .isLoading=${isLoading && rows.length === 0}
        .hasMore=${this.#cursor !== null && error === undefined}
        @row-open=${(event: CustomEvent<Row>) => view.open(event.detail)}
        @row-menu=${({ detail: { row, anchor } }: CustomEvent<{ row: Row; anchor: Element | { x: number; y: number } }>) =>
          openMenu(anchor, texts.table.actionsOf(view.nameOf(row)), view.menuOf!(row))}
        @need-rows=${this.#loadMore}
      ></data-table>
      ${error === undefined ? nothing : errorState(error, this.#cursor === null ? this.reload : this.#loadMore)}`;
  }
}
