import { html, nothing } from 'lit';
import type { ReactiveController, ReactiveControllerHost, TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { UploadItem } from '../../queue/types.js';
import type { Localizer } from '../locales/localizer.js';
import { displayName } from '../view/display-name.js';
import { canView } from '../view/file-icon.js';
import type { StoredImageOf } from '../view/file-icon.js';
import { removeIcon } from '../view/row-icons.js';
import { lightboxStyles } from './lightbox-styles.js';
import { nextIcon, previousIcon } from './lightbox-icons.js';
import { pictureOf } from './picture-of.js';
import { PictureStage } from './picture-stage.js';
import { SwipeTracker } from './swipe-tracker.js';

/** The part of the element that the lightbox uses. */
export interface LightboxHost extends ReactiveControllerHost, HTMLElement {
  readonly localizer: Localizer;
  /** Scrolls a file of the list into view and focuses one of its buttons. */
  focusRow(index: number, part?: string): Promise<void>;
}

/** Shows the pictures of the list large, one at a time, in a modal dialog. Pages load this module when a thumbnail is pressed. */
export class Lightbox implements ReactiveController {
  /** The element adds these styles to its own. */
  readonly styles = [lightboxStyles];
  readonly #stage = new PictureStage();
  readonly #swipe = new SwipeTracker((steps) => this.#move(steps));
  /** Id of the picture that is shown. */
  #id: string | undefined;
  #items: readonly UploadItem[] = [];
  #pictures: readonly UploadItem[] = [];
  #dialog: HTMLDialogElement | undefined;

  constructor(private readonly host: LightboxHost) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#leave();
  }

  hostUpdated(): void {
    if (this.#dialog?.isConnected && !this.#dialog.open) this.#dialog.showModal();
  }

  /** Shows the picture of a file. */
  open(id: string): void {
    this.#id = id;
    this.host.requestUpdate();
  }

  /** Renders the dialog while a picture is shown. */
  render(items: readonly UploadItem[], storedImageOf: StoredImageOf | undefined): TemplateResult | typeof nothing {
    if (this.#id === undefined) return nothing;
    const lastIndex = this.#pictures.findIndex(({ id }) => id === this.#id);
    this.#items = items;
    this.#pictures = items.filter((item) => canView(item, storedImageOf));
    // A picture that was removed meanwhile gives way to the next one.
    const item =
      this.#pictures.find(({ id }) => id === this.#id) ?? this.#pictures[Math.max(0, lastIndex)] ?? this.#pictures.at(-1);
    this.#id = item?.id;
    if (item === undefined) return nothing;
    this.#stage.show({ key: item.id, name: displayName(item), source: pictureOf(item, storedImageOf) }, this.host.localizer);
    return this.#renderDialog(item);
  }

  #renderDialog(item: UploadItem): TemplateResult {
    const { localizer } = this.host;
    const count = this.#pictures.length;
    const name = displayName(item);
    const position = localizer.text('doneOfTotal', { done: this.#pictures.indexOf(item) + 1, total: count });
    const button = (className: string, label: string, icon: TemplateResult, act: () => void) =>
      html`<button class="lightbox-button ${className}" type="button" aria-label=${label} title=${label} @click=${act}>
        ${icon}
      </button>`;
    return html`<dialog
      part="lightbox"
      class="lightbox"
      aria-label=${name}
      ${ref(this.#onDialog)}
      @close=${this.#onClose}
      @keydown=${this.#onKeyDown}
      @click=${this.#onClick}
    >
      <div class="lightbox-bar">
        <div class="lightbox-caption" aria-live="polite">
          <span class="lightbox-name" dir="auto" title=${name}>${name}</span>
          ${count > 1 ? html`<span class="lightbox-position">${position}</span>` : nothing}
        </div>
        ${button('lightbox-close', localizer.text('close'), removeIcon, () => this.#dialog?.close())}
      </div>
      <div
        class="lightbox-stage"
        @pointerdown=${this.#swipe.onPointerDown}
        @pointermove=${this.#swipe.onPointerMove}
        @pointerup=${this.#swipe.onPointerUp}
        @pointercancel=${this.#swipe.onPointerCancel}
      >
        ${this.#stage.element}
      </div>
      ${
        count > 1
          ? html`${button('lightbox-previous', localizer.text('previousPicture'), previousIcon, () => this.#move(-1))}
            ${button('lightbox-next', localizer.text('nextPicture'), nextIcon, () => this.#move(1))}`
          : nothing
      }
    </dialog>`;
  }

  /** The dialog is also removed with the list, when the page removes all files. */
  readonly #onDialog = (element?: Element): void => {
    if (element === undefined) this.#leave();
    else this.#dialog = element as HTMLDialogElement;
  };

  /** Shows another picture. After the last one comes the first. */
  #move(steps: number): void {
    const count = this.#pictures.length;
    const index = this.#pictures.findIndex(({ id }) => id === this.#id);
    this.#id = this.#pictures[(index + steps + count) % count]?.id;
    this.host.requestUpdate();
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    const forward = this.host.localizer.direction === 'rtl' ? -1 : 1;
    const index = this.#pictures.findIndex(({ id }) => id === this.#id);
    const steps = new Map([
      ['ArrowLeft', -forward],
      ['ArrowRight', forward],
      ['Home', -index],
      ['End', this.#pictures.length - 1 - index],
    ]).get(event.key);
    // Keys of the page must not act on what is behind the dialog.
    event.stopPropagation();
    // With a modifier, an arrow is a key of the browser.
    if (steps === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#move(steps);
  };

  /** A click beside the picture closes the dialog. */
  readonly #onClick = (event: MouseEvent): void => {
    const target = event.target as Element;
    if (target.matches('dialog, .lightbox-stage, .lightbox-picture') && !this.#swipe.hasMoved) this.#dialog?.close();
  };

  readonly #onClose = (): void => {
    const index = this.#items.findIndex(({ id }) => id === this.#id);
    this.#leave();
    this.host.requestUpdate();
    void this.host.focusRow(index, 'thumbnail');
  };

  #leave(): void {
    this.#id = undefined;
    this.#dialog = undefined;
    [this.#items, this.#pictures] = [[], []];
    this.#stage.clear();
  }
}
