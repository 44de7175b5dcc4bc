import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { FileRecord } from '../../../protocol/types.js';
import '../../components/copy-button.js';
import { errorLine } from '../../components/describe-error.js';
import { openDialog } from '../../components/open-dialog.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { formatSize, formatTime } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { parseMetadata, writeMetadata } from './metadata-text.js';
import { preview } from './preview.js';
import { filesTexts } from './texts/texts.js';

/** Opens a file: its preview, its facts, and the fields that may be changed. */
export async function openDetails(context: ConsoleContext, file: FileRecord): Promise<void> {
  const { storage, mayWrite } = context;
  const { details } = filesTexts;
  let problem = '';
  const stop = new AbortController();
  await openDialog(
    file.name,
    (dialog) => {
      const save = async (event: SubmitEvent): Promise<void> => {
        event.preventDefault();
        const fields = new FormData(event.target as HTMLFormElement);
        const metadata = parseMetadata(String(fields.get('metadata')));
        if (metadata === undefined) {
          problem = details.metadataProblem;
          dialog.update();
          return;
        }
        const body = {
          visibility: fields.get('visibility'),
          cache_control: String(fields.get('cache_control')).trim() || null,
          metadata,
        };
        try {
          await storage.patch(`/v1/files/${file.id}`, { body, signal: stop.signal });
          showToast({ text: details.saved });
          dispatchEvent(new Event('files-changed'));
          dialog.close();
        } catch (error) {
          problem = errorLine(error);
          dialog.update();
        }
      };
      return html`${preview(context, file)} ${facts(file)}
        <form id="details-form" class="fields" @submit=${save}>
          <div class="field">
            <label for="visibility">${details.visibility}</label>
            <select id="visibility" name="visibility" ?disabled=${!mayWrite}>
              ${(['private', 'public'] as const).map(
                (value) =>
                  html`<option value=${value} ?selected=${file.visibility === value}>${details.visibilities[value]}</option>`,
              )}
            </select>
          </div>
          <div class="field">
            <label for="cache-control">${details.cacheControl}</label>
            <input
              id="cache-control"
              name="cache_control"
              placeholder="max-age=3600"
              .defaultValue=${file.cache_control ?? ''}
              ?disabled=${!mayWrite}
            />
          </div>
          <div class="field">
            <label for="metadata">${details.metadata}</label>
            <textarea
              id="metadata"
              name="metadata"
              rows="3"
              spellcheck="false"
              aria-describedby="metadata-hint"
              ?disabled=${!mayWrite}
              .defaultValue=${writeMetadata(file.metadata)}
            ></textarea>
            <p class="hint" id="metadata-hint">${details.metadataHint}</p>
          </div>
          ${problem === '' ? nothing : html`<p class="error" role="alert">${problem}</p>`}
        </form>
        <a slot="actions" class="button" href=${storage.url(`/v1/files/${file.id}/content`)} download=${file.name}>
          ${filesTexts.actions.download}
        </a>
        ${
          mayWrite
            ? html`<button slot="actions" class="primary" form="details-form">${details.save}</button>`
            : html`<p slot="actions" class="hint">${texts.workspace.readOnlyReason}</p>`
        }`;
    },
    { size: '40rem' },
  );
  stop.abort();
}

function facts(file: FileRecord): TemplateResult {
  const { details } = filesTexts;
  const rows: [name: string, value: string, copied?: string][] = [
    [details.path, file.path, file.path],
    [details.size, formatSize(file.size)],
    [details.type, file.content_type],
    [details.created, formatTime(file.created_at)],
    [details.updated, formatTime(file.updated_at)],
    ...(file.expires_at === null ? [] : [[details.expires, formatTime(file.expires_at)] as [string, string]]),
    ...(file.url === null ? [] : [[details.url, file.url, file.url] as [string, string, string]]),
    [details.id, file.id, file.id],
    ['SHA-256', file.sha256, file.sha256],
  ];
  return html`<dl class="facts">
    ${rows.map(
      ([name, value, copied]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>
            <bdi>${value}</bdi>
            ${copied === undefined ? nothing : html`<copy-button .value=${copied} .name=${name}></copy-button>`}
          </dd>
        </div>`,
    )}
  </dl>`;
}
