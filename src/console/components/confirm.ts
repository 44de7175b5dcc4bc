import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { texts } from '../texts/texts.js';
import type { Confirmation, OpenDialog } from './open-dialog.js';

/** Renders the content of a dialog that asks for a confirmation, by a button or by typing a name. */
export function confirmContent({ text, confirm, isDangerous, typedName }: Confirmation): (dialog: OpenDialog) => TemplateResult {
  let typed = '';
  // Keyboards compose letters such as é; names from macOS may be decomposed.
  const isTyped = (): boolean => typedName === undefined || typed.trim().normalize() === typedName.normalize();
  return (dialog) => {
    const submit = (event: Event): void => {
      event.preventDefault();
      if (isTyped()) dialog.close(true);
    };
    return html`<p>${text}</p>
      <form id="confirm" @submit=${submit}>
        ${
          typedName === undefined
            ? nothing
            : html`<div class="field">
                <label for="confirm-name">${texts.confirm.typeName(typedName)}</label>
                <input
                  id="confirm-name"
                  autofocus
                  autocomplete="off"
                  spellcheck="false"
                  @input=${(event: Event) => {
                    typed = (event.target as HTMLInputElement).value;
                    dialog.update();
                  }}
                />
              </div>`
        }
      </form>
      <button slot="actions" @click=${() => dialog.close()}>${texts.cancel}</button>
      <button
        slot="actions"
        form="confirm"
        class=${isDangerous ? 'danger' : 'primary'}
        ?autofocus=${typedName === undefined}
        ?disabled=${!isTyped()}
      >
        ${confirm}
      </button>`;
  };
}
