import { LitElement, html } from 'lit';
import { property, state } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { icon } from './icon.js';

const SHOWN_MS = 2000;

/** A button that copies a text. */
export class CopyButton extends LitElement {
  static override styles = base;

  @property() value = '';
  /** @default "Copy" */
  @property() label = '';
  @state() private isCopied = false;

  #copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(this.value);
    this.isCopied = true;
    setTimeout(() => (this.isCopied = false), SHOWN_MS);
  };

  override render() {
    return html`<button @click=${this.#copy}>
      ${icon(this.isCopied ? 'check' : 'copy')}<span aria-live="polite"
        >${this.isCopied ? texts.copied : this.label || texts.copy}</span
      >
    </button>`;
  }
}
customElements.define('copy-button', CopyButton);
