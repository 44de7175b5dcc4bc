import { html } from 'lit';
import type { Api } from '../../api/api.js';
import { listOf, numberOf, openForm, selectField, textField, textOf } from '../../components/form.js';
import { PathSuggestions, sizeOf, sizeText } from './fields.js';
import type { Rule } from './records.js';
import { sharingTexts } from './texts/texts.js';

const DAY_SECONDS = 86_400;

/** Opens the form of a rule. @param rule the one to change. @returns undefined if the person closed it */
export async function openRuleForm(storage: Api, rule?: Rule): Promise<Rule | undefined> {
  const { rules } = sharingTexts;
  const { form: labels } = rules;
  const stop = new AbortController();
  const suggestions = new PathSuggestions(storage, stop.signal);
  const result = await openForm(rule ? rules.change : rules.create, {
    submit: rule ? sharingTexts.save : rules.submit,
    size: '36rem',
    problems: { 'VALIDATION_ERROR:prefix': rules.folderProblem },
    fields: (form) =>
      html`${suggestions.field(form, {
          name: 'prefix',
          label: sharingTexts.columns.folder,
          hint: sharingTexts.folderHint,
          placeholder: 'public/images',
          value: rule?.prefix ?? '',
          isFocused: true,
        })}
        <div class="columns">
          ${selectField(form, {
            name: 'visibility',
            label: labels.visibility,
            hint: labels.visibilityHint,
            choices: [
              ['', labels.unchanged],
              ['private', rules.summary.private],
              ['public', rules.summary.public],
            ],
            value: rule?.visibility ?? '',
          })}
          ${textField(form, {
            name: 'max_size',
            label: labels.maxSize,
            hint: labels.maxSizeHint,
            value: sizeText(rule?.max_size ?? null),
          })}
          ${textField(form, {
            name: 'allowed_extensions',
            label: labels.extensions,
            hint: labels.extensionsHint,
            value: rule?.allowed_extensions?.join(', ') ?? '',
          })}
          ${textField(form, {
            name: 'expires_after',
            label: labels.expires,
            hint: labels.expiresHint,
            value: rule?.expires_after == null ? '' : String(rule.expires_after / DAY_SECONDS),
          })}
          ${textField(form, {
            name: 'cache_control',
            label: labels.cache,
            hint: labels.cacheHint,
            placeholder: 'public, max-age=3600',
            value: rule?.cache_control ?? '',
          })}
          ${textField(form, {
            name: 'image_sizes',
            label: labels.images,
            hint: labels.imagesHint,
            placeholder: '400x300, 800x',
            value: rule?.image_sizes?.join(', ') ?? '',
          })}
        </div>`,
    send: (data, signal) => {
      const days = numberOf(data, 'expires_after');
      const list = (name: string): string[] | null => {
        const values = listOf(data, name);
        return values.length > 0 ? values : null;
      };
      const body = {
        prefix: textOf(data, 'prefix'),
        visibility: textOf(data, 'visibility') || null,
        max_size: sizeOf(data, 'max_size'),
        allowed_extensions: list('allowed_extensions'),
        expires_after: typeof days === 'number' ? Math.round(days * DAY_SECONDS) : days,
        cache_control: textOf(data, 'cache_control') || null,
        image_sizes: list('image_sizes'),
      };
      return rule
        ? storage.patch<Rule>(`/v1/rules/${rule.id}`, { body, signal })
        : storage.post<Rule>('/v1/rules', { body, signal });
    },
  });
  stop.abort();
  return result;
}
