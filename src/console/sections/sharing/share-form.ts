import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Api } from '../../api/api.js';
import { choice, listOf, numberOf, openForm, textField, textOf } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { PathSuggestions, sizeOf, sizeText, timeOf, toLocalTime } from './fields.js';
import { kindOf, SHARE_KINDS } from './records.js';
import type { Share, ShareKind } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Opens the form of a new share. @returns undefined if the person closed it */
export async function openNewShare(storage: Api): Promise<Share | undefined> {
  const { shares } = sharingTexts;
  const stop = new AbortController();
  const suggestions = new PathSuggestions(storage, stop.signal);
  let kind: ShareKind = 'folder';
  const created = await openForm(shares.create, {
    submit: shares.submit,
    size: '36rem',
    fields: (form) =>
      html`<fieldset>
          <legend>${shares.form.kind}</legend>
          ${SHARE_KINDS.map((value) =>
            choice({
              name: 'kind',
              type: 'radio',
              value,
              label: shares.kinds[value],
              hint: shares.kindHints[value],
              isChecked: kind === value,
              isFocused: value === 'folder',
              changed: () => {
                kind = value;
                form.update();
              },
            }),
          )}
        </fieldset>
        ${
          kind === 'file'
            ? suggestions.field(form, { name: 'path', label: shares.form.path, placeholder: 'reports/2030.pdf' })
            : suggestions.field(form, { name: 'prefix', label: shares.form.folder, placeholder: 'albums/2030' })
        }
        ${optionFields(form, kind)}`,
    send: (data, signal) => {
      const target = kind === 'file' ? { path: textOf(data, 'path') } : { prefix: textOf(data, 'prefix') };
      const body = { ...target, mode: kind === 'upload' ? 'upload' : 'read', ...optionsOf(data, kind) };
      return storage.post<Share>('/v1/shares', { body, signal });
    },
  });
  stop.abort();
  return created;
}

/** Opens the form that changes a share. */
export function openShareChange(storage: Api, share: Share): Promise<Share | undefined> {
  const kind = kindOf(share);
  return openForm(sharingTexts.shares.change, {
    submit: sharingTexts.save,
    size: '36rem',
    fields: (form) => optionFields(form, kind, share),
    send: (data, signal) => storage.patch<Share>(`/v1/shares/${share.id}`, { body: optionsOf(data, kind, share), signal }),
  });
}

function optionFields(form: FormState, kind: ShareKind, share?: Share): TemplateResult {
  const { form: labels } = sharingTexts.shares;
  return html`<div class="columns">
      ${textField(form, { name: 'title', label: labels.title, hint: labels.titleHint, value: share?.title ?? '' })}
      ${textField(form, {
        name: 'password',
        label: labels.password,
        hint: share?.has_password ? labels.passwordKept : labels.passwordHint,
        type: 'password',
        autocomplete: 'new-password',
      })}
      ${textField(form, {
        name: 'expires_at',
        label: labels.expires,
        hint: labels.expiresHint,
        type: 'datetime-local',
        value: expiryText(share),
      })}
      ${
        kind === 'upload'
          ? html`${textField(form, {
              name: 'max_files',
              label: labels.maxFiles,
              hint: labels.noLimitHint,
              value: String(share?.max_files ?? ''),
            })}
            ${textField(form, {
              name: 'max_size',
              label: labels.maxSize,
              hint: labels.maxSizeHint,
              value: sizeText(share?.max_size ?? null),
            })}
            ${textField(form, {
              name: 'allowed_extensions',
              label: labels.extensions,
              hint: labels.extensionsHint,
              value: share?.allowed_extensions?.join(', ') ?? '',
            })}`
          : textField(form, {
              name: 'max_downloads',
              label: labels.maxDownloads,
              hint: labels.noLimitHint,
              value: String(share?.max_downloads ?? ''),
            })
      }
      ${textField(form, {
        name: 'accent',
        label: labels.accent,
        hint: labels.accentHint,
        placeholder: '#d6336c',
        value: share?.accent ?? '',
      })}
    </div>
    ${share?.has_password ? choice({ name: 'remove_password', label: labels.removePassword }) : nothing}`;
}

const expiryText = (share?: Share): string => (share?.expires_at ? toLocalTime(share.expires_at) : '');

/** Reads the options of a share. Empty fields mean no limit. An empty password stays as it is. */
function optionsOf(data: FormData, kind: ShareKind, share?: Share): Record<string, unknown> {
  const orNull = (name: string): string | null => textOf(data, name) || null;
  const extensions = listOf(data, 'allowed_extensions');
  const password = String(data.get('password') ?? '');
  const limits =
    kind === 'upload'
      ? {
          max_files: numberOf(data, 'max_files'),
          max_size: sizeOf(data, 'max_size'),
          allowed_extensions: extensions.length > 0 ? extensions : null,
        }
      : { max_downloads: numberOf(data, 'max_downloads') };
  return {
    title: orNull('title'),
    accent: orNull('accent'),
    // The field has no seconds, and the API refuses a time that has passed. An unchanged field changes nothing.
    ...(textOf(data, 'expires_at') !== expiryText(share) && { expires_at: timeOf(data, 'expires_at') }),
    ...limits,
    ...(password !== '' && { password }),
    ...(data.has('remove_password') && { password: null }),
  };
}
