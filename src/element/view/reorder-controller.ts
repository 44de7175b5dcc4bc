import { css, html } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import type { UploadItem } from '../../queue/types.js';
import type { Localizer } from '../locales/localizer.js';
import { displayName } from './file-name.js';
import { iconWithTooltip } from './row.js';

/** What reordering needs of the element. */
export interface ReorderHost extends ReactiveControllerHost, HTMLElement {
  readonly localizer: Localizer;
  readonly uploads: readonly UploadItem[];
  move(id: string, to: number): void;
}

/** Pixels a pointer may tremble before a press becomes a drag; from an edge of the list within which it scrolls. */
const TREMBLE = 4;
const EDGE = 24;

const styles = css`
  [part='move-button'] {
    cursor: grab;
    touch-action: none;
  }
  .row[data-lifted] {
    background: var(--_fill-hover);
  }
  .row[data-lifted] [part='move-button'] {
    color: var(--_accent);
    cursor: grabbing;
  }
`;

const moveIcon = html`<svg viewBox="0 0 20 20" stroke="currentColor" stroke-width="2.5" stroke-linecap="round">
  <path d="M7.5 5v.1M7.5 10v.1M7.5 15v.1M12.5 5v.1M12.5 10v.1M12.5 15v.1" />
</svg>`;

const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('li[data-id]') : null;
const rowIndexOf = (row: HTMLElement): number => Number(row.getAttribute('aria-posinset')) - 1;

/**
 * Puts files in another order. Three ways lead there: dragging a row by its grip, lifting it with a press and pressing where it
 * goes (no dragging needed), and the arrow keys on its grip.
 */
export class ReorderController implements ReactiveController {
  /** For the element to add to its own. */
  readonly styles = [styles];
  #liftedId: string | undefined;
  #drag: { id: string; y: number; moved: boolean } | undefined;

  constructor(private readonly host: ReorderHost) {
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

  /** The grip of a row. */
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
    if (event.button === 0) this.#drag = { id, y: event.clientY, moved: false };
  }

  readonly #onPointerMove = (event: PointerEvent): void => {
    const drag = this.#drag;
    if (drag === undefined) return;
    // Let go of where nobody told: before it moved, a press is not followed outside.
    if (event.buttons === 0) return void (this.#drag = undefined);
    const list = this.host.shadowRoot!.querySelector<HTMLElement>('[part=list]')!;
    if (!drag.moved) {
      if (Math.abs(event.clientY - drag.y) < TREMBLE) return;
      drag.moved = true;
      // The list keeps hearing the pointer, wherever it goes and whichever rows are drawn.
      list.setPointerCapture(event.pointerId);
    }
    const { top, bottom, left } = list.getBoundingClientRect();
    if (event.clientY < top + EDGE) list.scrollBy(0, -EDGE);
    if (event.clientY > bottom - EDGE) list.scrollBy(0, EDGE);
    const over = rowOf(this.host.shadowRoot!.elementFromPoint(left + EDGE, event.clientY));
    if (over !== null && over.dataset['id'] !== drag.id) this.host.move(drag.id, rowIndexOf(over));
  };

  readonly #onPointerEnd = (event: PointerEvent): void => {
    const moved = this.#drag?.moved;
    this.#drag = undefined;
    if (!moved) return;
    // The press that ends a drag is no press.
    event.preventDefault();
    this.#lift(undefined);
  };

  #toggleLifted(id: string): void {
    if (this.#liftedId === undefined) return this.#lift(id);
    const to = this.host.uploads.findIndex((item) => item.id === id);
    if (this.#liftedId !== id) this.host.move(this.#liftedId, to);
    return this.#lift(undefined);
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && this.#liftedId !== undefined) return this.#lift(undefined);
    const grip = event.target instanceof Element ? event.target.closest('[part=move-button]') : null;
    const row = rowOf(grip);
    if (row === null) return;
    const last = this.host.uploads.length - 1;
    const at = rowIndexOf(row);
    const places = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last };
    if (!Object.hasOwn(places, event.key)) return;
    const to = places[event.key as keyof typeof places];
    event.preventDefault();
    // Elsewhere in a row these keys go from row to row.
    event.stopPropagation();
    if (to >= 0 && to <= last) this.host.move(row.dataset['id']!, to);
  };

  #lift(id: string | undefined): void {
    this.#liftedId = id;
    this.host.requestUpdate();
  }
}
