import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { adoptSheet } from '../styles/adopt-base.js';
import { texts } from '../texts/texts.js';
import './copy-button.js';
import { formStyles } from './form-styles.js';
import { icon } from './icon.js';
import { openDialog } from './open-dialog.js';

/** A text to copy. */
export interface CopyableText {
  label: string;
  value: string;
}

/** Renders a labelled text with a button that copies it. */
export const copyable = ({ label, value }: CopyableText): TemplateResult =>
  html`<div class="secret">
    <div>
      <h3>${label}</h3>
      <copy-button hasText .value=${value} .name=${label}></copy-button>
    </div>
    <pre tabindex="0" aria-label=${label}><code>${value}</code></pre>
  </div>`;

/**
 * Shows texts to copy until the person closes the dialog.
 * @param options.warning a sentence above the texts, such as that a secret is shown only once
 */
export async function openCopyDialog(
  heading: string,
  options: { warning?: string; text?: string; items: readonly CopyableText[]; close: string },
): Promise<void> {
  adoptSheet(formStyles);
  await openDialog(
    heading,
    (dialog) =>
      html`${options.warning === undefined ? nothing : html`<p class="alert">${icon('warning')}<span>${options.warning}</span></p>`}
        ${options.text === undefined ? nothing : html`<p>${options.text}</p>`} ${options.items.map(copyable)}
        <button slot="actions" class="primary" @click=${() => dialog.close()}>${options.close || texts.close}</button>`,
    { size: '38rem' },
  );
}
