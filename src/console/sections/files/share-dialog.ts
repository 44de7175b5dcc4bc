import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { OpenDialog } from '../../components/open-dialog.js';
import type { ConsoleContext } from '../../shell/context.js';
import type { Entry } from './entries.js';
import { linkField, openLinkDialog } from './link-dialog.js';
import { filesTexts } from './texts/texts.js';

/** Lifetimes that the dialog offers, in hours. A temporary link lasts a week at most. */
const HOURS = [1, 24, 168, 720] as const;
const MAX_LINK_HOURS = 168;

type Kind = 'share' | 'link';

/** Opens the ways to share a file or a folder: the public URL, a temporary link, or a share with password and expiry. */
export function openShare({ storage }: ConsoleContext, entry: Entry): Promise<void> {
  const { share } = filesTexts;
  let kind: Kind = 'share';

  const create = async (fields: FormData, signal: AbortSignal): Promise<string> => {
    const hours = Number(fields.get('hours'));
    if (kind === 'link' && entry.kind === 'file') {
      const body = { expires_in: Math.min(hours, MAX_LINK_HOURS) * 3600 };
      return (await storage.post<{ url: string }>(`/v1/files/${entry.file.id}/links`, { body, signal })).url;
    }
    const password = String(fields.get('password') ?? '');
    const body = {
      ...(entry.kind === 'file' ? { path: entry.file.path } : { prefix: entry.prefix.slice(0, -1) }),
      ...(password !== '' && { password }),
      ...(hours > 0 && { expires_at: new Date(Date.now() + hours * 3_600_000).toISOString() }),
    };
    return (await storage.post<{ url: string }>('/v1/shares', { body, signal })).url;
  };

  const choice = (dialog: OpenDialog, value: Kind, label: string, hint: string): TemplateResult =>
    html`<label class="choice">
      <input
        type="radio"
        name="kind"
        .checked=${kind === value}
        @change=${() => {
          kind = value;
          dialog.update();
        }}
      />
      <span>${label}<br /><span class="hint">${hint}</span></span>
    </label>`;

  const fields = (dialog: OpenDialog): TemplateResult => {
    const hours = HOURS.filter((value) => kind === 'share' || value <= MAX_LINK_HOURS);
    return html`${
        entry.kind === 'file'
          ? html`<fieldset>
              <legend class="visually-hidden">${share.kind}</legend>
              ${choice(dialog, 'share', share.share, share.shareHint)} ${choice(dialog, 'link', share.link, share.linkHint)}
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
      }`;
  };

  const intro = entry.kind === 'file' && entry.file.url !== null ? linkField(share.publicUrl, entry.file.url) : nothing;
  return openLinkDialog({ heading: share.heading(entry.name), create, intro, fields });
}
