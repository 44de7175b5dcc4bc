import { html } from 'lit';
import type { TemplateResult } from 'lit';
import type { Role } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** The field `name` of a dialog. */
export const nameField = (label: string, value = ''): TemplateResult =>
  html`<div class="field">
    <label for="field-name">${label}</label>
    <input
      id="field-name"
      name="name"
      required
      maxlength="60"
      pattern=".*\\S.*"
      autocomplete="off"
      autofocus
      .defaultValue=${value}
    />
  </div>`;

/** The field `role_id`. Roles with permissions that the user lacks cannot be chosen. */
export function roleField(
  { details, mayGrant }: Pick<WorkspaceView, 'details'> & { mayGrant(role: Role): boolean },
  chosen?: string,
): TemplateResult {
  const { role, cannotGive } = workspacesTexts.members;
  const first = details.roles.find(mayGrant)?.id;
  return html`<div class="field">
    <label for="field-role">${role}</label>
    <select id="field-role" name="role_id" required>
      ${details.roles.map((entry) => {
        const isAllowed = mayGrant(entry);
        return html`<option value=${entry.id} ?disabled=${!isAllowed} ?selected=${entry.id === (chosen ?? first)}>
          ${isAllowed ? entry.name : cannotGive(entry.name)}
        </option>`;
      })}
    </select>
  </div>`;
}

/** Returns `2030-01-31` in the time zone of the browser, for a field of the type `date`. */
export function dateFieldValue(iso: string | null): string {
  if (iso === null) return '';
  const date = new Date(iso);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** Returns the end of a day in the time zone of the browser. @param date `2030-01-31`, or an empty text for no day */
export const endOfDay = (date: string): string | null => (date === '' ? null : new Date(`${date}T23:59:59`).toISOString());
