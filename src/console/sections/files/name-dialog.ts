import { html, nothing } from 'lit';
import { findSegmentProblem } from '../../../protocol/paths.js';
import { errorLine } from '../../components/describe-error.js';
import { openDialog } from '../../components/open-dialog.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';

export interface NameDialog {
  heading: string;
  label: string;
  value: string;
  submit: string;
  /** Changes the name. An error stays beside the field. */
  apply(name: string): Promise<unknown>;
}

/** Asks for a name, and changes it. @returns whether that was done */
export async function openNameDialog({ heading, label, value, submit, apply }: NameDialog): Promise<boolean> {
  let name = value;
  let problem = '';
  let isBusy = false;
  const done = await openDialog<true>(heading, (dialog) => {
    const send = async (event: Event): Promise<void> => {
      event.preventDefault();
      if (isBusy) return;
      problem = name === '' || name.includes('/') || findSegmentProblem(name) ? filesTexts.name.invalid : '';
      if (problem === '') {
        isBusy = true;
        dialog.update();
        try {
          await apply(name);
          dialog.close(true);
          return;
        } catch (error) {
          problem = errorLine(error);
        }
        isBusy = false;
      }
      dialog.update();
    };
    return html`<form id="name-form" class="field" @submit=${send}>
        <label for="name-field">${label}</label>
        <input
          id="name-field"
          autofocus
          autocomplete="off"
          spellcheck="false"
          .value=${value}
          aria-invalid=${problem === '' ? nothing : 'true'}
          aria-describedby=${problem === '' ? nothing : 'name-problem'}
          @input=${(event: Event) => (name = (event.target as HTMLInputElement).value)}
          @focus=${(event: Event) => selectStem(event.target as HTMLInputElement)}
        />
        ${problem === '' ? nothing : html`<p class="error" id="name-problem" role="alert">${problem}</p>`}
      </form>
      <button slot="actions" @click=${() => dialog.close()}>${texts.cancel}</button>
      <button slot="actions" class="primary" form="name-form" ?disabled=${isBusy}>${submit}</button>`;
  });
  return done ?? false;
}

/** Selects a name without its extension. */
function selectStem(field: HTMLInputElement): void {
  const dot = field.value.lastIndexOf('.');
  field.setSelectionRange(0, dot > 0 ? dot : field.value.length);
}
