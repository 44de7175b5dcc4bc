import { css, html } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import { addFileTexts } from '../locales/add-file-texts.js';
import type { Localizer } from '../locales/localizer.js';
import { displayName } from './display-name.js';
import { iconWithTooltip } from './row-icons.js';
import { countColumns } from './visible-rows.js';

/** The part of the element that reordering uses. */
export interface ReorderHost extends ReactiveControllerHost, HTMLElement {
  readonly localizer: Localizer;
  readonly uploads: readonly UploadItem[];
  move(id: string, to: number): void;
}

/** Pixels that a pointer must move before a press becomes a drag. */
const DRAG_THRESHOLD = 4;
/** Distance from the edge of the list, in pixels, within which dragging scrolls it. */
const SCROLL_EDGE = 24;

const styles = css`
  [part='move-button'] {
    cursor: grab;
    touch-action: none;
  }
  .row[data-lifted] {
    background: var(--_fill-hover);
  }
  [data-lifted] [part='move-button'] {
    color: var(--_accent);
    cursor: grabbing;
  }
`;

const moveIcon = html`<svg viewBox="0 0 20 20" stroke="currentColor" stroke-width="2.5" stroke-linecap="round">
  <path d="M7.5 5v.1M7.5 10v.1M7.5 15v.1M12.5 5v.1M12.5 10v.1M12.5 15v.1" />
</svg>`;

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('li[data-id]') : null;
const isGrid = (list: Element): boolean => list.classList.contains('grid');
const rowIndexOf = (row: HTMLElement): number => Number(row.getAttribute('aria-posinset')) - 1;

/**
 * Reorders files in three ways: by dragging the move button of a row, by clicking it and then the target row, and by the arrow keys
 * on the button.
 */
export class ReorderController implements ReactiveController {
  /** The element adds these styles to its own. */
  readonly styles = [styles];
  #liftedId: string | undefined;
  #drag: { id: string; x: number; y: number; isDragging: boolean } | undefined;

  constructor(private readonly host: ReorderHost) {
    addFileTexts();
    host.addController(this);
    const root = host.shadowRoot!;
    root.addEventListener('keydown', this.#onKeyDown as EventListener, { capture: true });
    root.addEventListener('pointermove', this.#onPointerMove as EventListener);
    for (const type of ['pointerup', 'pointercancel']) root.addEventListener(type, this.#onPointerEnd as EventListener);
  }

  hostUpdated(): void {
    for (const row of this.host.shadowRoot!.querySelectorAll<HTMLElement>('li[data-id]'))
      row.toggleAttribute('data-lifted', row.dataset['id'] === (this.#drag?.id ?? this.#liftedId));
  }

  /** Renders the button that moves a row. */
  renderMoveButton(item: UploadItem, tabbable: boolean): TemplateResult {
    const { id } = item;
    const label = this.host.localizer.text('move', { name: displayName(item) });
    return html`<button
      part="move-button"
      class="icon"
      type="button"
      tabindex=${tabbable ? 0 : -1}
      aria-label=${label}
      aria-pressed=${id === this.#liftedId}
      @pointerdown=${(event: PointerEvent) => this.#onPointerDown(event, id)}
      @click=${() => this.#toggleLifted(id)}
    >
      ${iconWithTooltip(label, moveIcon)}
    </button>`;
  }

  #onPointerDown(event: PointerEvent, id: string): void {
    if (event.button === 0) this.#drag = { id, x: event.clientX, y: event.clientY, isDragging: false };
  }

  readonly #onPointerMove = (event: PointerEvent): void => {
    const drag = this.#drag;
    if (drag === undefined) return;
    // The button was released outside the list. Before a drag starts, the list does not receive that event.
    if (event.buttons === 0) return void (this.#drag = undefined);
    const list = this.host.shadowRoot!.querySelector<HTMLElement>('[part=list]')!;
    if (!drag.isDragging) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_THRESHOLD) return;
      drag.isDragging = true;
      // With pointer capture the list receives all events, wherever the pointer goes and whichever rows are rendered.
      list.setPointerCapture(event.pointerId);
    }
    const { top, bottom, left } = list.getBoundingClientRect();
    if (event.clientY < top + SCROLL_EDGE) list.scrollBy(0, -SCROLL_EDGE);
    if (event.clientY > bottom - SCROLL_EDGE) list.scrollBy(0, SCROLL_EDGE);
    const x = isGrid(list) ? event.clientX : left + SCROLL_EDGE;
    const target = rowOf(this.host.shadowRoot!.elementFromPoint(x, event.clientY));
    if (target !== null && target.dataset['id'] !== drag.id) this.host.move(drag.id, rowIndexOf(target));
  };

  readonly #onPointerEnd = (event: PointerEvent): void => {
    const wasDragging = this.#drag?.isDragging;
    this.#drag = undefined;
    if (!wasDragging) return;
    // The end of a drag must not count as a click.
    event.preventDefault();
    this.#lift(undefined);
  };

  #toggleLifted(id: string): void {
    if (this.#liftedId === undefined) return this.#lift(id);
    const target = this.host.uploads.findIndex((item) => item.id === id);
    if (this.#liftedId !== id) this.host.move(this.#liftedId, target);
    return this.#lift(undefined);
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && this.#liftedId !== undefined) return this.#lift(undefined);
    const button = event.target instanceof Element ? event.target.closest('[part=move-button]') : null;
    const row = rowOf(button);
    if (row === null) return;
    const last = this.host.uploads.length - 1;
    const index = rowIndexOf(row);
    const list = row.parentElement!;
    const columns = isGrid(list) ? countColumns(list) : 1;
    const forward = getComputedStyle(list).direction === 'rtl' ? -1 : 1;
    const targets: ReadonlyMap<string, number> = new Map([
      ['ArrowUp', index - columns],
      ['ArrowDown', index + columns],
      ...(isGrid(list)
        ? ([
            ['ArrowLeft', index - forward],
            ['ArrowRight', index + forward],
          ] as const)
        : []),
      ['Home', 0],
      ['End', last],
    ]);
    const target = targets.get(event.key);
    if (target === undefined) return;
    event.preventDefault();
    // On other buttons of a row, the list moves the focus with these keys.
    event.stopPropagation();
    if (target >= 0 && target <= last) this.host.move(row.dataset['id']!, target);
  };

  #lift(id: string | undefined): void {
    this.#liftedId = id;
    this.host.requestUpdate();
  }
}
