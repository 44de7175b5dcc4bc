import { html } from 'lit';
import type { TemplateResult } from 'lit';
import '../../components/copy-button.js';
import { listOf, textOf } from '../../components/form.js';
import type { ConsoleContext } from '../../shell/context.js';
import { openLinkDialog } from './link-dialog.js';
import { snippets } from './snippets.js';
import { filesTexts } from './texts/texts.js';

const HOURS = [24, 168, 720] as const;

/** Opens the form for an upload request: a link by which others upload into a folder without seeing it. */
export function openRequest({ storage }: ConsoleContext, prefix: string): Promise<void> {
  const { request } = filesTexts;
  const create = async (fields: FormData, signal: AbortSignal): Promise<string> => {
    const body = readRequest(fields, prefix);
    return (await storage.post<{ url: string }>('/v1/shares', { body, signal })).url;
  };
  const details = html`<details>
    <summary>${request.embed}</summary>
    ${snippets(prefix).map(
      ({ title, code }) =>
        html`<h3>${title}</h3>
          <div class="with-copy">
            <pre tabindex="0" aria-label=${title}>${code}</pre>
            <copy-button .value=${code} .name=${title}></copy-button>
          </div>`,
    )}
  </details>`;
  return openLinkDialog({
    heading: request.heading,
    size: '38rem',
    create,
    intro: html`<p>${prefix === '' ? request.introRoot : request.intro(prefix.slice(0, -1))}</p>`,
    fields: requestFields,
    details,
  });
}

/** Reads the body of `POST /v1/shares` from the form. */
function readRequest(fields: FormData, prefix: string): object {
  const text = (name: string): string => textOf(fields, name);
  const extensions = listOf(fields, 'extensions');
  const hours = Number(text('hours'));
  return {
    mode: 'upload',
    prefix: prefix.slice(0, -1),
    ...(text('title') !== '' && { title: text('title') }),
    ...(text('size') !== '' && { max_size: Math.round(Number(text('size')) * 1_000_000) }),
    ...(text('files') !== '' && { max_files: Number(text('files')) }),
    ...(extensions.length > 0 && { allowed_extensions: extensions }),
    ...(text('password') !== '' && { password: text('password') }),
    ...(hours > 0 && { expires_at: new Date(Date.now() + hours * 3_600_000).toISOString() }),
  };
}

function requestFields(): TemplateResult {
  const { request, share } = filesTexts;
  return html`<div class="field">
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
    </div>`;
}
