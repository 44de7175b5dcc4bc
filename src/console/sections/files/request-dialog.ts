import { html, nothing } from 'lit';
import { errorLine } from '../../components/describe-error.js';
import { listOf, textOf } from '../../components/form.js';
import { createDialog } from '../../components/open-dialog.js';
import { showForm } from '../../components/show-form.js';
import type { ConsoleContext } from '../../shell/context.js';
import { texts } from '../../texts/texts.js';
import { linkField } from './share-dialog.js';
import { snippets } from './snippets.js';
import { filesTexts } from './texts/texts.js';

const HOURS = [24, 168, 720] as const;

/** Opens the form for an upload request: a link by which others upload into a folder without seeing it. */
export async function openRequest({ storage }: ConsoleContext, prefix: string): Promise<void> {
  const { request, share } = filesTexts;
  let url = '';
  let problem = '';
  let sending: Promise<string> | undefined;
  const dialog = createDialog<string>(
    request.heading,
    (opened) => {
      const createLink = async (fields: FormData): Promise<string> => {
        const text = (name: string): string => textOf(fields, name);
        const extensions = listOf(fields, 'extensions');
        const hours = Number(text('hours'));
        const body = {
          mode: 'upload',
          prefix: prefix.slice(0, -1),
          ...(text('title') !== '' && { title: text('title') }),
          ...(text('size') !== '' && { max_size: Math.round(Number(text('size')) * 1_000_000) }),
          ...(text('files') !== '' && { max_files: Number(text('files')) }),
          ...(extensions.length > 0 && { allowed_extensions: extensions }),
          ...(text('password') !== '' && { password: text('password') }),
          ...(hours > 0 && { expires_at: new Date(Date.now() + hours * 3_600_000).toISOString() }),
        };
        try {
          ({ url } = await storage.post<{ url: string }>('/v1/shares', { body, signal: AbortSignal.timeout(60_000) }));
        } catch (error) {
          problem = errorLine(error);
        }
        sending = undefined;
        opened.update();
        return url;
      };
      const create = (event: SubmitEvent): void => {
        event.preventDefault();
        if (sending || url !== '') return;
        problem = '';
        sending = createLink(new FormData(event.target as HTMLFormElement));
        opened.update();
      };
      // Another request can be made only after a change, so that a second click makes no second link.
      const forget = (): void => {
        url = '';
        opened.update();
      };
      return html`<p>${prefix === '' ? request.introRoot : request.intro(prefix.slice(0, -1))}</p>
        <form id="request-form" class="fields" @submit=${create} @input=${forget}>
          <div class="field">
            <label for="request-title">${request.title}</label>
            <input id="request-title" name="title" autofocus maxlength="100" autocomplete="off" />
          </div>
          <div class="pair">
            <div class="field">
              <label for="request-size">${request.size}</label>
              <input id="request-size" name="size" type="number" min="0.001" step="any" inputmode="decimal" />
            </div>
            <div class="field">
              <label for="request-files">${request.files}</label>
              <input id="request-files" name="files" type="number" min="1" max="1000000" inputmode="numeric" />
            </div>
          </div>
          <div class="field">
            <label for="request-extensions">${request.extensions}</label>
            <input id="request-extensions" name="extensions" placeholder="pdf, jpg" autocomplete="off" spellcheck="false" />
          </div>
          <div class="pair">
            <div class="field">
              <label for="request-hours">${share.expires}</label>
              <select id="request-hours" name="hours">
                ${HOURS.map((value) => html`<option value=${value} ?selected=${value === 168}>${share.hours(value)}</option>`)}
                <option value="0">${share.never}</option>
              </select>
            </div>
            <div class="field">
              <label for="request-password">${share.password}</label>
              <input id="request-password" name="password" type="password" autocomplete="new-password" maxlength="200" />
            </div>
          </div>
          ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
        </form>
        ${url === '' ? nothing : html`<div role="status">${linkField(share.created, url)}</div>`}
        <details>
          <summary>${request.embed}</summary>
          ${snippets(prefix).map(
            ({ title, code }) =>
              html`<h3>${title}</h3>
                <div class="with-copy">
                  <pre tabindex="0" aria-label=${title}>${code}</pre>
                  <copy-button .value=${code} .name=${title}></copy-button>
                </div>`,
          )}
        </details>
        <button slot="actions" @click=${() => opened.close()}>${texts.close}</button>
        <button slot="actions" class="primary" form="request-form" aria-disabled=${sending || url !== '' ? 'true' : nothing}>
          ${share.create}
        </button>`;
    },
    { size: '38rem' },
  );
  const form = { sending: () => sending, problem: () => problem || undefined };
  // The dialog shows the link although it was closed meanwhile.
  if ((await showForm(dialog, form)) !== undefined) await dialog.show();
}
