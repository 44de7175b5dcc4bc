import { html, nothing } from 'lit';
import { errorLine } from '../../components/describe-error.js';
import { listOf, textOf } from '../../components/form.js';
import { openDialog } from '../../components/open-dialog.js';
import type { ConsoleContext } from '../../shell/context.js';
import { texts } from '../../texts/texts.js';
import { linkField } from './share-dialog.js';
import { snippets } from './snippets.js';
import { filesTexts } from './texts/texts.js';

const HOURS = [24, 168, 720] as const;

/** Opens the form for an upload request: a link by which others upload into a folder without seeing it. */
export async function openRequest({ storage }: ConsoleContext, prefix: string): Promise<void> {
  const { request, share } = filesTexts;
  const stop = new AbortController();
  let url = '';
  let problem = '';
  let isBusy = false;
  await openDialog(
    request.heading,
    (dialog) => {
      const create = async (event: SubmitEvent): Promise<void> => {
        event.preventDefault();
        if (isBusy || url !== '') return;
        const fields = new FormData(event.target as HTMLFormElement);
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
        problem = '';
        isBusy = true;
        dialog.update();
        try {
          ({ url } = await storage.post<{ url: string }>('/v1/shares', { body, signal: stop.signal }));
        } catch (error) {
          problem = errorLine(error);
        }
        isBusy = false;
        dialog.update();
      };
      // Another request can be made only after a change, so that a second click makes no second link.
      const forget = (): void => {
        url = '';
        dialog.update();
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
        <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
        <button slot="actions" class="primary" form="request-form" aria-disabled=${isBusy || url !== '' ? 'true' : nothing}>
          ${share.create}
        </button>`;
    },
    { size: '38rem' },
  );
  stop.abort();
}
