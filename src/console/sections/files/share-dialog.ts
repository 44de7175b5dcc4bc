import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import '../../components/copy-button.js';
import { errorLine } from '../../components/describe-error.js';
import { createDialog } from '../../components/open-dialog.js';
import { showForm } from '../../components/show-form.js';
import type { ConsoleContext } from '../../shell/context.js';
import { texts } from '../../texts/texts.js';
import type { Entry } from './entries.js';
import { filesTexts } from './texts/texts.js';

/** Lifetimes that the dialog offers, in hours. A temporary link lasts a week at most. */
const HOURS = [1, 24, 168, 720] as const;
const MAX_LINK_HOURS = 168;

type Kind = 'share' | 'link';

/** Opens the ways to share a file or a folder: the public URL, a temporary link, or a share with password and expiry. */
export async function openShare({ storage }: ConsoleContext, entry: Entry): Promise<void> {
  const { share } = filesTexts;
  let kind: Kind = 'share';
  let url = '';
  let problem = '';
  let sending: Promise<string> | undefined;
  const dialog = createDialog<string>(share.heading(entry.name), (opened) => {
    const createLink = async (fields: FormData): Promise<string> => {
      const hours = Number(fields.get('hours'));
      const signal = AbortSignal.timeout(60_000);
      try {
        if (kind === 'link' && entry.kind === 'file') {
          const body = { expires_in: Math.min(hours, MAX_LINK_HOURS) * 3600 };
          ({ url } = await storage.post<{ url: string }>(`/v1/files/${entry.file.id}/links`, { body, signal }));
        } else {
          const password = String(fields.get('password') ?? '');
          const body = {
            ...(entry.kind === 'file' ? { path: entry.file.path } : { prefix: entry.prefix.slice(0, -1) }),
            ...(password !== '' && { password }),
            ...(hours > 0 && { expires_at: new Date(Date.now() + hours * 3_600_000).toISOString() }),
          };
          ({ url } = await storage.post<{ url: string }>('/v1/shares', { body, signal }));
        }
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
    const choose = (value: Kind, label: string, hint: string): TemplateResult =>
      html`<label class="choice">
        <input
          type="radio"
          name="kind"
          .checked=${kind === value}
          @change=${() => {
            kind = value;
            opened.update();
          }}
        />
        <span>${label}<br /><span class="hint">${hint}</span></span>
      </label>`;
    // Another link can be made only after a change, so that a second click makes no second link.
    const forget = (): void => {
      url = '';
      opened.update();
    };
    const hours = HOURS.filter((value) => kind === 'share' || value <= MAX_LINK_HOURS);
    return html`${entry.kind === 'file' && entry.file.url !== null ? linkField(share.publicUrl, entry.file.url) : nothing}
      <form id="share-form" class="fields" @submit=${create} @input=${forget}>
        ${
          entry.kind === 'file'
            ? html`<fieldset>
                <legend class="visually-hidden">${share.kind}</legend>
                ${choose('share', share.share, share.shareHint)} ${choose('link', share.link, share.linkHint)}
              </fieldset>`
            : html`<p>${share.folderHint}</p>`
        }
        <div class="field">
          <label for="share-hours">${share.expires}</label>
          <select id="share-hours" name="hours">
            ${hours.map((value) => html`<option value=${value} ?selected=${value === 168}>${share.hours(value)}</option>`)}
            ${kind === 'share' ? html`<option value="0">${share.never}</option>` : nothing}
          </select>
        </div>
        ${
          kind === 'share'
            ? html`<div class="field">
                <label for="share-password">${share.password}</label>
                <input id="share-password" name="password" type="password" autocomplete="new-password" maxlength="200" />
              </div>`
            : nothing
        }
        ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
      </form>
      ${url === '' ? nothing : html`<div role="status">${linkField(share.created, url)}</div>`}
      <button slot="actions" @click=${() => opened.close()}>${texts.close}</button>
      <button slot="actions" class="primary" form="share-form" aria-disabled=${sending || url !== '' ? 'true' : nothing}>
        ${share.create}
      </button>`;
  });
  const form = { sending: () => sending, problem: () => problem || undefined };
  // The dialog shows the link although it was closed meanwhile.
  if ((await showForm(dialog, form)) !== undefined) await dialog.show();
}

/** Renders a link with a button that copies it. */
export const linkField = (label: string, url: string): TemplateResult =>
  html`<div class="field">
    <span>${label}</span>
    <div class="with-copy"><code>${url}</code><copy-button hasText .value=${url} .name=${label}></copy-button></div>
  </div>`;
