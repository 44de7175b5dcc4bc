import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { problemIcon } from '../view/icons.js';
import type { MessageKey } from '../locales/localizer.js';
import { nameOfLink, readLink } from './read-link.js';
import { SourceDialog } from './source-dialog.js';

/** Adds a file that the service fetches from a link. */
export class LinkDialog extends SourceDialog {
  protected override readonly titleKey: MessageKey = 'link';
  /** The problem of the entered text. It is shown after the person pressed Add. */
  #problem: MessageKey | undefined;

  protected override readonly statusText = '';

  protected override renderBody(): TemplateResult {
    const { localizer } = this.host;
    const problem = this.#problem === undefined ? '' : localizer.text(this.#problem);
    return html`<form class="link-form" novalidate @submit=${this.#onSubmit}>
      <label for="source-link">${localizer.text('linkAddress')}</label>
      <input
        part="source-field"
        id="source-link"
        data-main
        type="url"
        inputmode="url"
        enterkeyhint="done"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        dir="ltr"
        placeholder="https://"
        aria-invalid=${problem === '' ? 'false' : 'true'}
        aria-describedby="source-link-problem source-link-hint"
        @input=${this.#onInput}
      />
      <p id="source-link-problem" class="link-problem" role="alert">
        ${problem === '' ? '' : html`${problemIcon}<span>${problem}</span>`}
      </p>
      <div class="source-foot">
        <p id="source-link-hint" class="link-hint">${localizer.text('linkHint')}</p>
        <div class="source-actions">
          <button part="source-button" class="act main" type="submit">${localizer.text('addLink')}</button>
        </div>
      </div>
    </form>`;
  }

  protected override dispose(): void {}

  get #field(): HTMLInputElement {
    return this.element!.querySelector('input')!;
  }

  /** The message stays until the text changes, because the person reads it while they correct the text. */
  readonly #onInput = (): void => {
    this.#problem = undefined;
    this.update();
  };

  readonly #onSubmit = (event: Event): void => {
    event.preventDefault();
    const link = readLink(this.#field.value);
    if ('problem' in link) {
      this.#problem = link.problem;
      this.update({ movesFocus: true });
      return;
    }
    this.close();
    void this.host.addLink({ file: new File([], nameOfLink(link.url)), relativePath: '', url: link.url.href });
  };
}
