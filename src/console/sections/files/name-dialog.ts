import { html, nothing } from 'lit';
import { findSegmentProblem } from '../../../protocol/paths.js';
import { problemLine } from '../../components/describe-error.js';
import { createDialog } from '../../components/open-dialog.js';
import { showForm } from '../../components/show-form.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';

export interface NameDialog {
  heading: string;
  label: string;
  value: string;
  submit: string;
  /** Changes the name. An error stays beside the field. @returns whether another file or folder has the name */
  apply(name: string): Promise<'taken' | undefined>;
}

/** Asks for a name, and changes it. @returns whether that was done */
export async function openNameDialog({ heading, label, value, submit, apply }: NameDialog): Promise<boolean> {
  let name = value;
  let problem = '';
  let sending: Promise<true | undefined> | undefined;
  const dialog = createDialog<true>(heading, (opened) => {
    const change = async (): Promise<true | undefined> => {
      try {
        if ((await apply(name)) === 'taken') problem = filesTexts.name.taken;
        else opened.close(true);
      } catch (error) {
        problem = problemLine(error, { FILE_EXISTS: filesTexts.name.taken });
      }
      sending = undefined;
      opened.update();
      return problem === '' ? true : undefined;
    };
    const send = (event: Event): void => {
      event.preventDefault();
      if (sending) return;
      problem = name === '' || name.includes('/') || findSegmentProblem(name) ? filesTexts.name.invalid : '';
      if (problem === '') sending = change();
      opened.update();
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
      <button slot="actions" @click=${() => opened.close()}>${texts.cancel}</button>
      <button slot="actions" class="primary" form="name-form" ?disabled=${sending !== undefined}>${submit}</button>`;
  });
  const form = { sending: () => sending, problem: () => problem || undefined };
  return (await showForm(dialog, form)) ?? false;
}

/** Selects a name without its extension. */
function selectStem(field: HTMLInputElement): void {
  const dot = field.value.lastIndexOf('.');
  field.setSelectionRange(0, dot > 0 ? dot : field.value.length);
}
