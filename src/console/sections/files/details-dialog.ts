import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { FileRecord } from '../../../protocol/types.js';
import { isAbort } from '../../api/api-error.js';
import '../../components/copy-button.js';
import { fieldOf, problemLine } from '../../components/describe-error.js';
import { focusProblem } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { formStyles } from '../../components/form-styles.js';
import { icon } from '../../components/icon.js';
import { openDialog } from '../../components/open-dialog.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { formatSize, formatTime } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { fileFields, readChanges } from './file-fields.js';
import { preview } from './preview.js';
import { isBlocked, scanNote } from './scan-note.js';
import { filesTexts } from './texts/texts.js';

/** Fields that may show an error of the API. */
const FIELDS = ['visibility', 'content_disposition', 'expires_at', 'cache_control', 'metadata'];

/** Opens a file: its preview, its facts, and the fields that may be changed. */
export async function openDetails(context: ConsoleContext, file: FileRecord): Promise<void> {
  const { storage } = context;
  const { details } = filesTexts;
  adoptSheet(formStyles);
  let error: unknown;
  let isMetadataInvalid = false;
  let isPublic = file.visibility === 'public';
  let isBusy = false;
  const stop = new AbortController();
  const shownPreview = isBlocked(file) ? nothing : preview(context, file, stop.signal);
  await openDialog(
    file.name,
    (dialog) => {
      const save = async (event: SubmitEvent): Promise<void> => {
        event.preventDefault();
        if (isBusy) return;
        const changes = readChanges(file, new FormData(event.target as HTMLFormElement));
        error = undefined;
        isMetadataInvalid = changes === undefined;
        if (changes && Object.keys(changes).length === 0) dialog.close();
        else if (changes) {
          isBusy = true;
          dialog.update();
          try {
            await storage.patch(`/v1/files/${file.id}`, { body: changes, signal: stop.signal });
            showToast({ text: details.saved });
            dispatchEvent(new Event('files-changed'));
            dialog.close();
          } catch (thrown) {
            if (isAbort(thrown)) return;
            error = thrown;
          }
          isBusy = false;
        }
        dialog.update();
        focusProblem(event.target as HTMLFormElement);
      };
      const choose = (value: FileRecord['visibility']): void => {
        isPublic = value === 'public';
        dialog.update();
      };
      const form: FormState = {
        errorOf: (name) => {
          if (name === 'metadata' && isMetadataInvalid) return details.metadataProblem;
          return fieldOf(error) === name ? problemLine(error) : undefined;
        },
        update: dialog.update,
      };
      const isAtField = FIELDS.includes(fieldOf(error) ?? '');
      return html`${scanNote(file)} ${shownPreview} ${facts(file)}
        ${context.mayWrite ? nothing : html`<p class="alert note">${icon('lock')}<span>${texts.workspace.readOnlyReason}</span></p>`}
        <form id="details-form" class="form" @submit=${save}>
          ${fileFields(form, file, { mayWrite: context.mayWrite, isPublic, choose })}
          ${error === undefined || isAtField ? nothing : html`<p class="error" role="alert">${problemLine(error)}</p>`}
        </form>
        ${
          isBlocked(file)
            ? nothing
            : html`<a slot="actions" class="button" href=${storage.url(`/v1/files/${file.id}/content`)} download=${file.name}>
                ${filesTexts.actions.download}
              </a>`
        }
        ${
          context.mayWrite
            ? html`<button slot="actions" class="primary" form="details-form" ?disabled=${isBusy}>${details.save}</button>`
            : html`<button slot="actions" class="primary" @click=${() => dialog.close()}>${texts.close}</button>`
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
