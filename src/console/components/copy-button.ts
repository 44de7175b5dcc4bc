import { LitElement, html } from 'lit';
import { property, state } from 'lit/decorators.js';
import { base } from '../styles/base.js';
import { texts } from '../texts/texts.js';
import { copyText } from './copy-text.js';
import { icon } from './icon.js';

const SHOWN_MS = 2000;

/** A button that copies a text. */
export class CopyButton extends LitElement {
  static override styles = base;

  @property() value = '';
  /** Names the copied text. The button is then an icon. */
  @property() name = '';
  /** Whether the button with a name shows its text too. */
  @property({ type: Boolean }) hasText = false;
  @state() private isCopied = false;

  #copy = async (): Promise<void> => {
    if (!(await copyText(this.value))) return;
    this.isCopied = true;
    setTimeout(() => (this.isCopied = false), SHOWN_MS);
  };

  override render() {
    const text = this.isCopied ? texts.copied : texts.copy;
    const isIcon = this.name !== '' && !this.hasText;
    return html`<button class=${isIcon ? 'plain icon' : ''} title=${text} @click=${this.#copy}>
      ${icon(this.isCopied ? 'check' : 'copy')}<span aria-live="polite"
        ><span class=${isIcon ? 'visually-hidden' : ''}>${text}</span> <span class="visually-hidden">${this.name}</span></span
      >
    </button>`;
  }
}
customElements.define('copy-button', CopyButton);
