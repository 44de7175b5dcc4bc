import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { iconWithTooltip, removeIcon } from '../view/row-icons.js';
import type { MessageKey } from '../locales/localizer.js';
import type { SourceHost } from './source-host.js';

/** A dialog that adds a file. It shows itself after its first render and is removed when it is closed. */
export abstract class SourceDialog {
  /** Undefined before the dialog is shown. */
  #wasMinimized: boolean | undefined;
  #isClosed = false;
  /** The main button gets the focus after the next render, because the one that was pressed is gone. */
  #movesFocus = false;

  constructor(
    protected readonly host: SourceHost,
    private readonly onClose: () => void,
  ) {}

  protected abstract readonly titleKey: MessageKey;
  /** Text for screen readers about the state. */
  protected abstract get statusText(): string;
  protected abstract renderBody(): TemplateResult;
  /** Releases devices and memory. */
  protected abstract dispose(): void;
  /** The person wants to close the dialog. @returns false to keep it open */
  protected mayClose(): boolean {
    return true;
  }

  /** Only a bar is shown instead of the dialog, and the page can be used. */
  protected get isMinimized(): boolean {
    return false;
  }

  protected renderBar(): TemplateResult {
    return html``;
  }

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  protected get element(): HTMLDialogElement | null {
    return this.host.renderRoot.querySelector<HTMLDialogElement>('.source-dialog');
  }

  render(): TemplateResult {
    const closeText = this.host.localizer.text('close');
    return html`${this.isMinimized ? this.#renderMinimized() : nothing}<dialog
        part="source-dialog"
        class="source-dialog"
        aria-labelledby="source-title"
        @cancel=${this.#onCancel}
        @close=${this.#onDialogClose}
        @input=${stopPropagation}
        @change=${stopPropagation}
        @paste=${stopPropagation}
      >
        <div class="source-head">
          <h2 id="source-title">${this.host.localizer.text(this.titleKey)}</h2>
          <button class="source-close" type="button" aria-label=${closeText} @click=${this.#onCloseClick}>
            ${iconWithTooltip(closeText, removeIcon)}
          </button>
        </div>
        ${this.renderBody()}
        <div class="hidden" role="status">${this.statusText}</div>
      </dialog>`;
  }

  #renderMinimized(): TemplateResult {
    const title = this.host.localizer.text(this.titleKey);
    return html`<div part="source-bar" class="source-bar" popover="manual" role="group" aria-label=${title}>
      ${this.renderBar()}
    </div>`;
  }

  /** The element has rendered. */
  updated(): void {
    const { isMinimized } = this;
    const element = this.element!;
    const bar = this.host.renderRoot.querySelector<HTMLElement>('.source-bar');
    if (isMinimized && element.open) element.close();
    if (!isMinimized && !element.open) element.showModal();
    if (bar?.matches(':popover-open') === false) bar.showPopover();
    const isNew = isMinimized !== this.#wasMinimized;
    if (isNew || this.#movesFocus) (bar ?? element).querySelector<HTMLElement>('[data-main]')?.focus();
    this.#wasMinimized = isMinimized;
    this.#movesFocus = false;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.dispose();
    // Returns the focus to the button that opened the dialog.
    this.element?.close();
    this.onClose();
  }

  /** Renders a new state. */
  protected update({ movesFocus = false } = {}): void {
    this.#movesFocus ||= movesFocus;
    if (!this.#isClosed) this.host.requestUpdate();
  }

  /** Adds the file to the element and closes the dialog. Does nothing if that has happened, such as after a second press. */
  protected add(file: File): void {
    if (this.#isClosed) return;
    this.close();
    void this.host.addFiles([file]);
  }

  readonly #onDialogClose = (): void => {
    if (!this.isMinimized && this.element?.open === false) this.close();
  };

  readonly #onCancel = (event: Event): void => {
    event.preventDefault();
    this.#onCloseClick();
  };

  readonly #onCloseClick = (): void => {
    if (this.mayClose()) this.close();
  };
}

/** Events of controls in the dialog do not belong to the element, and text that is pasted there is no file. */
const stopPropagation = (event: Event): void => event.stopPropagation();
