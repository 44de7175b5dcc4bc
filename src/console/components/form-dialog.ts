import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { texts } from '../texts/texts.js';
import { Action } from './action.js';
import { problemLine } from './describe-error.js';
import type { Problems } from './describe-error.js';
import { openDialog } from './open-dialog.js';

export interface FormDialog<T> {
  heading: string;
  /** Fields with names. @param update renders them anew */
  fields(update: () => void): TemplateResult;
  /** Label of the button that saves. */
  submit: string;
  isDangerous?: boolean;
  /** Sends the form. The dialog stays open if this fails, and shows the error. */
  save(form: FormData, signal: AbortSignal): Promise<T>;
  problems?: Problems;
  /** Whether the form cannot be sent yet. */
  isBlocked?(): boolean;
}

let count = 0;

/** Opens a dialog with a form. @returns what `save` returned; undefined if the person closed the dialog */
export function openFormDialog<T>(options: FormDialog<T>): Promise<T | undefined> {
  const { heading, fields, submit, isDangerous, save, problems = {}, isBlocked } = options;
  const id = `form-${++count}`;
  let action: Action | undefined;
  return openDialog<T>(heading, (dialog) => {
    const running = (action ??= new Action({ requestUpdate: dialog.update }));
    const send = async (event: SubmitEvent): Promise<void> => {
      event.preventDefault();
      if (isBlocked?.()) return;
      const form = new FormData(event.target as HTMLFormElement);
      let result: T | undefined;
      if (await running.run(async (signal) => (result = await save(form, signal)))) dialog.close(result);
    };
    return html`<form id=${id} class="dialog-form" @submit=${send}>
        ${fields(dialog.update)}
        ${running.error === undefined ? nothing : html`<p class="error" role="alert">${problemLine(running.error, problems)}</p>`}
      </form>
      <button slot="actions" @click=${() => dialog.close()}>${texts.cancel}</button>
      <button
        slot="actions"
        form=${id}
        class=${isDangerous ? 'danger' : 'primary'}
        ?disabled=${running.isRunning || (isBlocked?.() ?? false)}
      >
        ${submit}
      </button>`;
  });
}
