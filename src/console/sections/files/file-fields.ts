import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { formatDisposition, parseDispositionName } from '../../../protocol/content-disposition.js';
import type { FileRecord } from '../../../protocol/types.js';
import { icon } from '../../components/icon.js';
import { parseMetadata, writeMetadata } from './metadata-text.js';
import { filesTexts } from './texts/texts.js';

type Disposition = 'default' | 'inline' | 'attachment';
const DISPOSITIONS: readonly Disposition[] = ['default', 'inline', 'attachment'];

/** The fields of a file that may be changed. @param choose called with the visibility that the person chooses */
export function fileFields(
  file: FileRecord,
  mayWrite: boolean,
  isPublic: boolean,
  choose: (value: FileRecord['visibility']) => void,
): TemplateResult {
  const { details } = filesTexts;
  const disposition = dispositionOf(file);
  return html`<div class="field">
      <label for="visibility">${details.visibility}</label>
      <select
        id="visibility"
        name="visibility"
        ?disabled=${!mayWrite}
        @change=${(event: Event) => choose((event.target as HTMLSelectElement).value as FileRecord['visibility'])}
      >
        ${(['private', 'public'] as const).map(
          (value) => html`<option value=${value} ?selected=${file.visibility === value}>${details.visibilities[value]}</option>`,
        )}
      </select>
      <div role="status">
        ${
          isPublic && file.visibility === 'private'
            ? html`<p class="warning-note">${icon('globe')}<span>${details.publicWarning}</span></p>`
            : nothing
        }
        ${
          !isPublic && file.visibility === 'public'
            ? html`<p class="warning-note">${icon('warning')}<span>${details.privateWarning}</span></p>`
            : nothing
        }
      </div>
    </div>
    <div class="pair">
      <div class="field">
        <label for="disposition">${details.disposition}</label>
        <select id="disposition" name="disposition" ?disabled=${!mayWrite}>
          ${DISPOSITIONS.map(
            (value) => html`<option value=${value} ?selected=${disposition === value}>${details.dispositions[value]}</option>`,
          )}
        </select>
      </div>
      <div class="field">
        <label for="file-name">${details.fileName}</label>
        <input
          id="file-name"
          name="file_name"
          maxlength="255"
          autocomplete="off"
          spellcheck="false"
          placeholder=${file.name}
          .defaultValue=${nameOf(file)}
          ?disabled=${!mayWrite}
        />
      </div>
    </div>
    <div class="pair">
      <div class="field">
        <label for="expires-at">${details.expires}</label>
        <input
          id="expires-at"
          name="expires_at"
          type="datetime-local"
          aria-describedby="expires-hint"
          .defaultValue=${localTime(file.expires_at)}
          ?disabled=${!mayWrite}
        />
        <p class="hint" id="expires-hint">${details.expiresHint}</p>
      </div>
      <div class="field">
        <label for="cache-control">${details.cacheControl}</label>
        <input
          id="cache-control"
          name="cache_control"
          maxlength="1024"
          autocomplete="off"
          spellcheck="false"
          placeholder="max-age=3600"
          .defaultValue=${file.cache_control ?? ''}
          ?disabled=${!mayWrite}
        />
      </div>
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
    </div>`;
}

/**
 * Returns the body of `PATCH /v1/files/{id}`: only fields that differ, so that changes of other people stay.
 * @returns undefined if a line of the metadata is not valid
 */
export function readChanges(file: FileRecord, form: FormData): Record<string, unknown> | undefined {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const metadata = parseMetadata(text('metadata'));
  if (metadata === undefined) return undefined;
  const expires = text('expires_at');
  const cacheControl = text('cache_control');
  const isOtherDisposition = text('disposition') !== dispositionOf(file) || text('file_name') !== nameOf(file);
  return {
    ...(text('visibility') !== file.visibility && { visibility: text('visibility') }),
    ...(isOtherDisposition && { content_disposition: writeDisposition(text('disposition') as Disposition, text('file_name')) }),
    // The field has no seconds, so an unchanged field does not change the time.
    ...(expires !== localTime(file.expires_at) && { expires_at: expires === '' ? null : new Date(expires).toISOString() }),
    ...(cacheControl !== (file.cache_control ?? '') && { cache_control: cacheControl === '' ? null : cacheControl }),
    ...(writeMetadata(metadata) !== writeMetadata(file.metadata) && { metadata }),
  };
}

function dispositionOf({ content_disposition: stored }: FileRecord): Disposition {
  if (stored === null) return 'default';
  return /^inline\b/i.test(stored) ? 'inline' : 'attachment';
}

/** Returns the name under which a browser saves a file, if it has a name of its own. */
const nameOf = ({ content_disposition: stored }: FileRecord): string =>
  stored === null ? '' : (parseDispositionName(stored) ?? '');

function writeDisposition(type: Disposition, name: string): string | null {
  if (name === '') return type === 'default' ? null : type;
  return formatDisposition(type === 'attachment' ? type : 'inline', name);
}

/** Formats a time as the value of a field of the type `datetime-local`. */
function localTime(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
