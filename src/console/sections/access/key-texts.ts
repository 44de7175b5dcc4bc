import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { language } from '../../texts/language.js';
import type { ApiKey } from './records.js';
import { presetOf } from './scopes.js';
import type { ScopeGroup } from './scopes.js';
import { accessTexts } from './texts/texts.js';

/** Describes scopes in a few words: the name of a preset, or the groups. */
export function scopeSummary(scopes: readonly string[]): string {
  const preset = presetOf(scopes);
  if (preset) return accessTexts.presets[preset];
  const groups = [...new Set(scopes.map((scope) => scope.split(':')[0] as ScopeGroup))].map((group) => accessTexts.groups[group]);
  return new Intl.ListFormat(language(), { type: 'unit' }).format(groups);
}

/** Lists scopes in plain words. */
export const scopeList = ({ scopes }: Pick<ApiKey, 'scopes'>): TemplateResult =>
  html`<ul class="plain-list">
    ${scopes.map((scope) => html`<li>${accessTexts.scopes[scope] ?? scope}</li>`)}
  </ul>`;

/** Returns a command that uses a new key. */
export function keyExample(secret: string, scopes: readonly string[], origin = location.origin): string {
  const variables = `export SVC_BLOB_URL=${origin}\nexport SVC_API_KEY=${secret}\n`;
  const header = '-H "Authorization: Bearer $SVC_API_KEY"';
  if (scopes.includes('blob:write')) return `${variables}curl "$SVC_BLOB_URL/v1/files" ${header} -F file=@report.pdf`;
  return `${variables}curl "$SVC_BLOB_URL${scopes.includes('blob:read') ? '/v1/files' : '/v1/users/me'}" ${header}`;
}
