import { LitElement, css, html } from 'lit';
import { property, query } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { icon } from './icon.js';

/**
 * A modal dialog with a heading, content and, in the slot `actions`, its buttons. On phones it is a sheet at the bottom. It opens when it is
 * added to the page, also once more, and fires `close` after it was closed.
 */
export class ConsoleDialog extends LitElement {
  static override styles = [
    base,
    css`
      dialog {
        inline-size: min(var(--dialog-size, 30rem), calc(100vw - 2rem));
        max-block-size: min(46rem, calc(100dvh - 2rem));
        padding: 0;
        border: 1px solid var(--line);
        border-radius: 0.75rem;
        background: var(--raised);
        color: var(--text);
        box-shadow: var(--shadow);
        overflow: auto;
        /* Fields and errors that get the focus stay between the sticky head and the buttons. */
        scroll-padding-block: 4rem 5rem;
      }
      dialog::backdrop {
        background: rgb(8 10 16 / 45%);
      }
      .head {
        position: sticky;
        inset-block-start: 0;
        z-index: 1;
        display: flex;
        align-items: start;
        gap: 0.5rem;
        padding: 0.75rem 0.75rem 0.5rem 1.25rem;
        background: var(--raised);
      }
      .head h2 {
        flex: 1;
        min-inline-size: 0;
        padding-block: 0.3125rem;
      }
      .content {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 1rem;
        padding: 0.25rem 1.25rem 1.25rem;
      }
      footer {
        position: sticky;
        inset-block-end: 0;
        display: flex;
        flex-wrap: wrap;
        justify-content: end;
        gap: 0.5rem;
        padding: 0.75rem 1.25rem;
        border-block-start: 1px solid var(--line);
        background: var(--raised);
      }
      footer:not(.filled) {
        display: none;
      }
      @media (max-width: 30rem) {
        dialog {
          inline-size: 100%;
          max-inline-size: 100%;
          margin: auto 0 0;
          border-end-start-radius: 0;
          border-end-end-radius: 0;
        }
      }
      @media (pointer: coarse) {
        .head h2 {
          padding-block: 0.6875rem;
        }
      }
      @media (max-height: 24rem) {
        .head,
        footer {
          position: static;
        }
        dialog {
          scroll-padding-block: 0;
        }
      }
    `,
  ];

  @property() heading = '';
  @query('dialog') private readonly dialog!: HTMLDialogElement;
  @query('slot[name="actions"]') private readonly actions!: HTMLSlotElement;
  #opener: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#opener ??= deepActiveElement();
    // A dialog that is opened again is rendered already.
    if (this.hasUpdated) this.#show();
  }

  override firstUpdated(): void {
    this.#show();
  }

  #show(): void {
    // The slot reports its content later, and a hidden button takes no focus.
    this.#showFooter();
    this.dialog.showModal();
    this.querySelector<HTMLElement>('[autofocus]')?.focus();
  }

  /** @param options.returnsFocus whether the element that opened the dialog gets the focus. @default true */
  close({ returnsFocus = true } = {}): void {
    if (!returnsFocus) this.#opener = null;
    this.dialog.close();
  }

  #onClose = (): void => {
    this.dispatchEvent(new Event('close'));
    // The browser returned the focus before this event, and a key may have moved it since.
    const isFocusLost = document.activeElement === null || document.activeElement === document.body;
    if (isFocusLost && this.#opener instanceof HTMLElement && this.#opener.isConnected) this.#opener.focus();
  };

  override render() {
    return html`<dialog aria-labelledby="heading" @close=${this.#onClose}>
      <div class="head">
        <h2 id="heading">${this.heading}</h2>
        <button class="plain icon" aria-label=${texts.close} @click=${() => this.close()}>${icon('close')}</button>
      </div>
      <div class="content"><slot></slot></div>
      <footer><slot name="actions" @slotchange=${this.#showFooter}></slot></footer>
    </dialog>`;
  }

  #showFooter = (): void => {
    this.actions.parentElement!.classList.toggle('filled', this.actions.assignedElements().length > 0);
  };
}
customElements.define('console-dialog', ConsoleDialog);

/** Returns the focused element, also within shadow trees. */
export function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}
