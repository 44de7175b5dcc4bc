import type { TemplateResult } from 'lit';
import { selectField, textField } from '../../components/form.js';
import type { FormState } from '../../components/form.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Renders the field `name` of a dialog. */
export const nameField = (form: FormState, label: string, value = ''): TemplateResult =>
  textField(form, { name: 'name', label, value, isFocused: true, isRequired: true, maxLength: 60 });

/** Renders the field `role_id`. Roles with permissions that the user lacks cannot be chosen. */
export function roleField(form: FormState, view: WorkspaceView, chosen?: string): TemplateResult {
  const { role, cannotGive } = workspacesTexts.members;
  const roles = view.details.roles.map((entry) => ({ ...entry, isAllowed: view.mayGrant(entry.permissions) }));
  return selectField(form, {
    name: 'role_id',
    label: role,
    isRequired: true,
    choices: roles.map(({ id, name, isAllowed }) => [id, isAllowed ? name : cannotGive(name), !isAllowed]),
    value: chosen ?? roles.find(({ isAllowed }) => isAllowed)?.id ?? '',
  });
}

/** Returns `2030-01-31` in the time zone of the browser, for a field of the type `date`. */
export function dateFieldValue(iso: string | null): string {
  if (iso === null) return '';
  const date = new Date(iso);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** Returns the end of a day in the time zone of the browser. @param date `2030-01-31`, or an empty text for no day */
export const endOfDay = (date: string): string | null => (date === '' ? null : new Date(`${date}T23:59:59`).toISOString());
