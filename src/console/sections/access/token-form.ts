import { html } from 'lit';
import { parseSize } from '../../../protocol/sizes.js';
import type { CreatedUploadToken } from '../../../protocol/types.js';
import type { Api } from '../../api/api.js';
import { choice, listOf, numberOf, openForm, selectField, textField, textOf } from '../../components/form.js';
import { accessTexts } from './texts/texts.js';

const LIFETIMES = ['60', '300', '900', '1800', '3600'] as const;

/** Opens the form of a new upload token. @returns undefined if the person closed it */
export function openNewToken(api: Api): Promise<CreatedUploadToken | undefined> {
  const { tokens } = accessTexts;
  let target: 'prefix' | 'path' = 'prefix';
  return openForm(tokens.create, {
    submit: tokens.submit,
    fields: (form) =>
      html`<fieldset>
          <legend>${tokens.target}</legend>
          ${(['prefix', 'path'] as const).map((value) =>
            choice({
              name: 'target',
              type: 'radio',
              value,
              label: tokens.form.targets[value],
              isChecked: target === value,
              isFocused: value === 'prefix',
              changed: () => {
                target = value;
                form.update();
              },
            }),
          )}
        </fieldset>
        ${
          target === 'prefix'
            ? textField(form, { name: 'prefix', label: tokens.form.folder, hint: tokens.form.folderHint, placeholder: 'inbox' })
            : textField(form, { name: 'path', label: tokens.form.path, placeholder: 'reports/2030.pdf' })
        }
        <div class="columns">
          ${textField(form, { name: 'max_uses', label: tokens.form.maxUses, hint: tokens.form.maxUsesHint, value: '1' })}
          ${selectField(form, {
            name: 'expires_in',
            label: tokens.form.lifetime,
            choices: LIFETIMES.map((seconds) => [seconds, tokens.form.lifetimes[seconds]]),
            value: '900',
          })}
          ${textField(form, { name: 'max_size', label: tokens.form.maxSize, hint: tokens.form.maxSizeHint, placeholder: '10 MB' })}
          ${textField(form, {
            name: 'allowed_extensions',
            label: tokens.form.extensions,
            hint: tokens.form.extensionsHint,
            placeholder: 'pdf, jpg',
          })}
        </div>
        ${
          target === 'path'
            ? choice({ name: 'overwrite', label: tokens.form.overwrite })
            : choice({ name: 'allow_delete', label: tokens.form.allowDelete })
        }`,
    send: (data, signal) => {
      const text = textOf(data, target);
      const size = textOf(data, 'max_size');
      const extensions = listOf(data, 'allowed_extensions');
      const body = {
        ...((text !== '' || target === 'path') && { [target]: text }),
        max_uses: numberOf(data, 'max_uses'),
        expires_in: Number(data.get('expires_in')),
        ...(size !== '' && { max_size: parseSize(size) ?? size }),
        ...(extensions.length > 0 && { allowed_extensions: extensions }),
        ...(data.has('overwrite') && { overwrite: true }),
        ...(data.has('allow_delete') && { allow_delete: true }),
      };
      return api.post<CreatedUploadToken>('/v1/upload-tokens', { body, signal });
    },
  });
}
