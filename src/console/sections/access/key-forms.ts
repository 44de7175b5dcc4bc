import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Api } from '../../api/api.js';
import { choice, field, linesField, listOf, openForm, textField, textOf } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { openRotationForm } from '../../components/rotation-form.js';
import { API_KEYS } from './records.js';
import type { ApiKey, CreatedApiKey } from './records.js';
import { OWN_GROUPS, PLATFORM_GROUPS, PRESETS, presetOf, scopesOf } from './scopes.js';
import type { Preset, Scope, ScopeGroup } from './scopes.js';
import { accessTexts } from './texts/texts.js';

/** Opens the form of a new key. @returns undefined if the person closed it */
export const openNewKey = (api: Api): Promise<CreatedApiKey | undefined> =>
  openKeyForm(accessTexts.keys.create, accessTexts.keys.submit, undefined, (body, signal) =>
    api.post<CreatedApiKey>(API_KEYS, { body, signal }),
  );

/** Opens the form that changes a key or an application. */
export const openKeyChange = (api: Api, key: ApiKey): Promise<ApiKey | undefined> =>
  openKeyForm(accessTexts.keys.change, accessTexts.save, key, (body, signal) =>
    api.patch<ApiKey>(`${API_KEYS}/${key.id}`, { body, signal }),
  );

function openKeyForm<Result>(
  heading: string,
  submit: string,
  key: ApiKey | undefined,
  send: (body: object, signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const { form: formTexts } = accessTexts.keys;
  const chosen = new Set<Scope>(key?.scopes ?? PRESETS.files);
  return openForm(heading, {
    submit,
    size: '40rem',
    fields: (form) =>
      html`${textField(form, { name: 'name', label: formTexts.name, hint: formTexts.nameHint, value: key?.name ?? '', isFocused: true })}
      ${scopeFields(form, chosen)}
      ${linesField(form, {
        name: 'allowed_ips',
        label: formTexts.ips,
        hint: formTexts.ipsHint,
        value: key?.allowed_ips.join('\n') ?? '',
        placeholder: '203.0.113.7\n10.0.0.0/8',
      })}`,
    send: (data, signal) =>
      send({ name: textOf(data, 'name'), scopes: [...chosen], allowed_ips: listOf(data, 'allowed_ips') }, signal),
  });
}

/** A preset, and the single scopes. */
function scopeFields(form: FormState, chosen: Set<Scope>): TemplateResult {
  const { form: formTexts } = accessTexts.keys;
  const preset = presetOf(chosen);
  const choosePreset = (value: string): void => {
    if (!(value in PRESETS)) return;
    chosen.clear();
    for (const scope of PRESETS[value as Preset]) chosen.add(scope);
    form.update();
  };
  const choices: (readonly [string, string])[] = (Object.keys(PRESETS) as Preset[]).map((id) => [id, accessTexts.presets[id]]);
  const group = (id: ScopeGroup): TemplateResult =>
    html`<fieldset>
      <legend>${accessTexts.groups[id]}</legend>
      ${scopesOf(id).map((scope) =>
        choice({
          name: 'scope',
          value: scope,
          label: accessTexts.scopes[scope],
          isChecked: chosen.has(scope),
          changed: (isChecked) => {
            if (isChecked) chosen.add(scope);
            else chosen.delete(scope);
            form.update();
          },
        }),
      )}
    </fieldset>`;
  const hasPlatformScopes = [...chosen].some((scope) => PLATFORM_GROUPS.some((id) => scope.startsWith(`${id}:`)));
  return html`${field(
      form,
      { name: 'scopes', label: formTexts.scopes },
      ({ id, describedBy, invalid }) =>
        html`<select
          id=${id}
          name="scopes"
          aria-describedby=${describedBy}
          aria-invalid=${invalid}
          .value=${preset ?? 'custom'}
          @change=${(event: Event) => choosePreset((event.target as HTMLSelectElement).value)}
        >
          ${[...choices, ['custom', formTexts.custom] as const].map(
            ([value, label]) => html`<option value=${value} .selected=${value === (preset ?? 'custom')}>${label}</option>`,
          )}
        </select>`,
    )}
    <div class="columns">${OWN_GROUPS.map(group)}</div>
    <details ?open=${hasPlatformScopes && preset === undefined}>
      <summary>${formTexts.platform}</summary>
      <p class="hint">${formTexts.platformHint}</p>
      <div class="columns">${PLATFORM_GROUPS.map(group)}</div>
    </details>`;
}

/** Asks for the overlap, and gives a key a new secret. */
export function openRotation(api: Api, key: ApiKey): Promise<CreatedApiKey | undefined> {
  const { rotation } = accessTexts.keys;
  return openRotationForm(rotation.heading(key.name), rotation, 'overlap_seconds', (seconds, signal) =>
    api.post<CreatedApiKey>(`${API_KEYS}/${key.id}/rotate`, { body: { overlap_seconds: seconds }, signal }),
  );
}
