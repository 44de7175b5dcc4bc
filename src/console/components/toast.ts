import { LitElement, css, html } from 'lit';
import { state } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { icon } from './icon.js';

export interface ToastOptions {
  text: string;
  /** @default "done" */
  kind?: 'done' | 'problem';
  action?: { label: string; run(): void };
  /** Called when the message goes without its action. */
  dismissed?(): void;
}

const SHOWN_MS = 6000;
const MAX_SHOWN = 4;

/** Short messages at the edge of the window. Problems stay until they are closed. */
class ConsoleToasts extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        inset: auto 1rem 1rem auto;
        margin: 0;
        padding: 0;
        border: 0;
        background: none;
        color: inherit;
        overflow: visible;
        inline-size: min(24rem, calc(100vw - 2rem));
      }
      .toast {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto;
        align-items: center;
        column-gap: 0.625rem;
        margin-block-start: 0.5rem;
        padding: 0.5rem 0.5rem 0.5rem 0.875rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--raised);
        color: var(--text);
        box-shadow: var(--shadow);
      }
      .toast > svg {
        color: var(--good);
      }
      .problem > svg {
        color: var(--danger);
      }
      .action {
        grid-column: 2;
        justify-self: start;
        margin-block: 0.375rem;
      }
    `,
  ];

  @state() private shown: ToastOptions[] = [];

  override connectedCallback(): void {
    super.connectedCallback();
    this.setAttribute('popover', 'manual');
  }

  add(toast: ToastOptions): void {
    const oldest = this.shown.length < MAX_SHOWN ? undefined : this.shown[0];
    if (oldest) this.#dismiss(oldest);
    this.shown = [...this.shown, toast];
    // The newest popover lies above open dialogs.
    if (this.matches(':popover-open')) this.hidePopover();
    this.showPopover();
    if (toast.kind !== 'problem') setTimeout(() => this.#dismiss(toast), SHOWN_MS);
  }

  #dismiss(toast: ToastOptions): void {
    if (!this.shown.includes(toast)) return;
    this.#remove(toast);
    toast.dismissed?.();
  }

  #remove(toast: ToastOptions): void {
    this.shown = this.shown.filter((other) => other !== toast);
    if (this.shown.length === 0 && this.matches(':popover-open')) this.hidePopover();
  }

  override render() {
    return html`<div role="status">
      ${this.shown.map(
        (toast) =>
          html`<div class="toast ${toast.kind ?? 'done'}">
            ${icon(toast.kind === 'problem' ? 'warning' : 'check')}<span>${toast.text}</span>
            <button class="plain icon" aria-label=${texts.close} @click=${() => this.#dismiss(toast)}>${icon('close')}</button>
            ${
              toast.action &&
              html`<button class="action" @click=${() => (toast.action!.run(), this.#remove(toast))}>
                ${toast.action.label}
              </button>`
            }
          </div>`,
      )}
    </div>`;
  }
}
customElements.define('console-toasts', ConsoleToasts);

let toasts: ConsoleToasts | undefined;

/** Shows a short message. */
export function showToast(options: ToastOptions): void {
  if (!toasts) document.body.append((toasts = new ConsoleToasts()));
  toasts.add(options);
}
