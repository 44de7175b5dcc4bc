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
  /** Names the copied text. The button is then an icon. */
  @property() name = '';
  @state() private isCopied = false;

  #copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(this.value);
    this.isCopied = true;
    setTimeout(() => (this.isCopied = false), SHOWN_MS);
  };

  override render() {
    const text = this.isCopied ? texts.copied : texts.copy;
    return html`<button class=${this.name === '' ? '' : 'plain icon'} title=${text} @click=${this.#copy}>
      ${icon(this.isCopied ? 'check' : 'copy')}<span class=${this.name === '' ? '' : 'visually-hidden'} aria-live="polite"
        >${text} ${this.name}</span
      >
    </button>`;
  }
}
customElements.define('copy-button', CopyButton);
