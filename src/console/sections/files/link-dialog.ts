import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import '../../components/copy-button.js';
import { errorLine } from '../../components/describe-error.js';
import { createDialog } from '../../components/open-dialog.js';
import type { OpenDialog } from '../../components/open-dialog.js';
import { showForm } from '../../components/show-form.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';

const REQUEST_MS = 60_000;

/** A dialog with a form that creates a link. */
export interface LinkDialog {
  heading: string;
  /** Width of the dialog, a length of CSS. */
  size?: string;
  /** Sends the form. @returns the address of the link */
  create(fields: FormData, signal: AbortSignal): Promise<string>;
  /** The text above the form. */
  intro: TemplateResult | typeof nothing;
  /** Renders the fields. */
  fields(dialog: OpenDialog): TemplateResult;
  /** More below the form and its link. */
  details?: TemplateResult;
}

/**
 * Opens a dialog that creates a link and shows it. Another link can be made only after a change of the fields, so that a second click makes no
 * second link. The dialog opens again for a link that was created after it was closed.
 */
export async function openLinkDialog({ heading, size, create, intro, fields, details }: LinkDialog): Promise<void> {
  const { share } = filesTexts;
  let url = '';
  let problem = '';
  let sending: Promise<string> | undefined;
  const content = (dialog: OpenDialog): TemplateResult => {
    const send = async (values: FormData): Promise<string> => {
      try {
        url = await create(values, AbortSignal.timeout(REQUEST_MS));
      } catch (error) {
        problem = errorLine(error);
      }
      sending = undefined;
      dialog.update();
      return url;
    };
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      if (sending || url !== '') return;
      problem = '';
      sending = send(new FormData(event.target as HTMLFormElement));
      dialog.update();
    };
    const forget = (): void => {
      url = '';
      dialog.update();
    };
    return html`${intro}
      <form id="link-form" class="fields" @submit=${submit} @input=${forget}>
        ${fields(dialog)} ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
      </form>
      ${url === '' ? nothing : html`<div role="status">${linkField(share.created, url)}</div>`} ${details ?? nothing}
      <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
      <button slot="actions" class="primary" form="link-form" aria-disabled=${sending || url !== '' ? 'true' : nothing}>
        ${share.create}
      </button>`;
  };
  const dialog = createDialog<string>(heading, content, size === undefined ? {} : { size });
  const form = { sending: () => sending, problem: () => problem || undefined };
  if ((await showForm(dialog, form)) !== undefined) await dialog.show();
}

/** Renders a link with a button that copies it. */
export const linkField = (label: string, url: string): TemplateResult =>
  html`<div class="field">
    <span>${label}</span>
    <div class="with-copy"><code>${url}</code><copy-button hasText .value=${url} .name=${label}></copy-button></div>
  </div>`;
