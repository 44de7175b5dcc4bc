import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { formatDisposition, parseDispositionName } from '../../../protocol/content-disposition.js';
import type { FileRecord } from '../../../protocol/types.js';
import { linesField, selectField, textField } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { parseMetadata, writeMetadata } from './metadata-text.js';
import { filesTexts } from './texts/texts.js';

type Disposition = 'default' | 'inline' | 'attachment';
const DISPOSITIONS: readonly Disposition[] = ['default', 'inline', 'attachment'];

/** Renders the fields of a file that may be changed. @param choose called with the visibility that the person chooses */
export function fileFields(
  form: FormState,
  file: FileRecord,
  { mayWrite, isPublic, choose }: { mayWrite: boolean; isPublic: boolean; choose(value: FileRecord['visibility']): void },
): TemplateResult {
  const { details } = filesTexts;
  return html`<fieldset class="fields" ?disabled=${!mayWrite}>
    <div>
      ${selectField(form, {
        name: 'visibility',
        label: details.visibility,
        hint: details.visibilityHints[isPublic ? 'public' : 'private'],
        choices: (['private', 'public'] as const).map((value) => [value, filesTexts.visibility[value]]),
        value: file.visibility,
        changed: (value) => choose(value as FileRecord['visibility']),
      })}
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
    <div class="columns">
      ${selectField(form, {
        name: 'content_disposition',
        label: details.disposition,
        choices: DISPOSITIONS.map((value) => [value, details.dispositions[value]]),
        value: dispositionOf(file),
      })}
      ${textField(form, {
        name: 'file_name',
        label: details.fileName,
        value: nameOf(file),
        placeholder: file.name,
        maxLength: 255,
      })}
      ${textField(form, {
        name: 'expires_at',
        label: details.expires,
        hint: details.expiresHint,
        type: 'datetime-local',
        value: localTime(file.expires_at),
      })}
      ${textField(form, {
        name: 'cache_control',
        label: details.cacheControl,
        value: file.cache_control ?? '',
        placeholder: 'max-age=3600',
        maxLength: 1024,
      })}
    </div>
    ${linesField(form, {
      name: 'metadata',
      label: details.metadata,
      hint: details.metadataHint,
      value: writeMetadata(file.metadata),
    })}
  </fieldset>`;
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
  const isOtherDisposition = text('content_disposition') !== dispositionOf(file) || text('file_name') !== nameOf(file);
  return {
    ...(text('visibility') !== file.visibility && { visibility: text('visibility') }),
    ...(isOtherDisposition && {
      content_disposition: writeDisposition(text('content_disposition') as Disposition, text('file_name')),
    }),
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
