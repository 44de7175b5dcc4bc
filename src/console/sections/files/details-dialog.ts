import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { FileRecord } from '../../../protocol/types.js';
import '../../components/copy-button.js';
import { fieldOf, problemLine } from '../../components/describe-error.js';
import { focusProblem } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { formStyles } from '../../components/form-styles.js';
import { icon } from '../../components/icon.js';
import { createDialog } from '../../components/open-dialog.js';
import { showForm } from '../../components/show-form.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { formatSize, formatTime } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { fileFields, readChanges } from './file-fields.js';
import { waitForScan } from './pending-scans.js';
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
  let sending: Promise<void> | undefined;
  const stop = new AbortController();
  const previewOf = (shown: FileRecord) => (isBlocked(shown) ? nothing : preview(context, shown, stop.signal));
  let scanned = file;
  let shownPreview = previewOf(scanned);
  const dialog = createDialog<void>(
    file.name,
    (opened) => {
      const change = async (changes: object): Promise<void> => {
        try {
          await storage.patch(`/v1/files/${file.id}`, { body: changes, signal: AbortSignal.timeout(60_000) });
          showToast({ text: details.saved });
          dispatchEvent(new Event('files-changed'));
          opened.close();
        } catch (thrown) {
          error = thrown;
        }
        sending = undefined;
      };
      const save = async (event: SubmitEvent): Promise<void> => {
        event.preventDefault();
        if (sending) return;
        const form = event.target as HTMLFormElement;
        const changes = readChanges(file, new FormData(form));
        error = undefined;
        isMetadataInvalid = changes === undefined;
        if (changes && Object.keys(changes).length === 0) opened.close();
        else if (changes) {
          sending = change(changes);
          opened.update();
          await sending;
        }
        opened.update();
        focusProblem(form);
      };
      const choose = (value: FileRecord['visibility']): void => {
        isPublic = value === 'public';
        opened.update();
      };
      const form: FormState = {
        errorOf: (name) => {
          if (name === 'metadata' && isMetadataInvalid) return details.metadataProblem;
          return fieldOf(error) === name ? problemLine(error) : undefined;
        },
        update: opened.update,
      };
      const isAtField = FIELDS.includes(fieldOf(error) ?? '');
      return html`${scanNote(scanned)} ${keyed(scanned.scan, shownPreview)} ${facts(scanned)}
        ${context.mayWrite ? nothing : html`<p class="alert note">${icon('lock')}<span>${texts.workspace.readOnlyReason}</span></p>`}
        <form id="details-form" class="form" @submit=${save}>
          ${fileFields(form, file, { mayWrite: context.mayWrite, isPublic, choose })}
          ${error === undefined || isAtField ? nothing : html`<p class="error" role="alert">${problemLine(error)}</p>`}
        </form>
        ${
          isBlocked(scanned)
            ? nothing
            : html`<a slot="actions" class="button" href=${storage.url(`/v1/files/${file.id}/content`)} download=${file.name}>
                ${filesTexts.actions.download}
              </a>`
        }
        ${
          context.mayWrite
            ? html`<button slot="actions" class="primary" form="details-form" ?disabled=${sending !== undefined}>
                ${details.save}
              </button>`
            : html`<button slot="actions" class="primary" @click=${() => opened.close()}>${texts.close}</button>`
        }`;
    },
    { size: '40rem' },
  );
  const showResult = (result: FileRecord): void => {
    scanned = result;
    shownPreview = previewOf(result);
    dialog.update();
  };
  // Without a result, the note that the scan has not ended stays.
  if (file.scan === 'pending') waitForScan(storage, file.id, stop.signal).then(showResult, () => {});
  await showForm(dialog, {
    sending: () => sending,
    problem: () => (error === undefined ? undefined : problemLine(error)),
  });
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
