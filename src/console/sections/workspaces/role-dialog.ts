import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { openForm } from '../../components/form.js';
import { openDialog } from '../../components/open-dialog.js';
import { texts } from '../../texts/texts.js';
import { nameField } from './fields.js';
import { PERMISSION_GROUPS } from './permissions.js';
import type { Permission, PermissionGroup } from './permissions.js';
import type { Role } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Creates or changes a role, or shows its permissions. @returns whether a role was saved */
export async function roleDialog(view: WorkspaceView, role: Role | undefined, isReadOnly: boolean): Promise<boolean> {
  const { roles, problems } = workspacesTexts;
  if (isReadOnly && role) {
    await openDialog(
      role.name,
      (dialog) =>
        html`${permissionGroups((permission) => ({ isChecked: role.permissions.includes(permission), isDisabled: true }))}
          <button slot="actions" class="primary" @click=${() => dialog.close()}>${texts.close}</button>`,
    );
    return false;
  }
  const isLimited = !view.isOwner;
  const saved = await openForm<Role>(role ? roles.changeTitle(role.name) : roles.create, {
    fields: (form) =>
      html`${nameField(form, roles.name, role?.name)} ${isLimited ? html`<p class="hint">${roles.limited}</p>` : nothing}
      ${permissionGroups((permission) => ({
        isChecked: role?.permissions.includes(permission) ?? false,
        isDisabled: !view.may(permission),
      }))}`,
    submit: role ? roles.save : roles.create,
    send: (data, signal) => {
      const body = { name: String(data.get('name')).trim(), permissions: data.getAll('permissions') };
      return role
        ? view.context.account.put<Role>(view.path(`/roles/${role.id}`), { signal, body })
        : view.context.account.post<Role>(view.path('/roles'), { signal, body });
    },
    problems,
  });
  return saved !== undefined;
}

type PermissionState = (permission: Permission) => { isChecked: boolean; isDisabled: boolean };

function permissionGroups(stateOf: PermissionState): TemplateResult {
  const { groups, permissions } = workspacesTexts;
  return html`${(Object.keys(PERMISSION_GROUPS) as PermissionGroup[]).map(
    (group) =>
      html`<fieldset class="choices">
        <legend>${groups[group]}</legend>
        ${(PERMISSION_GROUPS[group] as readonly Permission[]).map((permission) => {
          const { isChecked, isDisabled } = stateOf(permission);
          return html`<label class="choice">
            <input type="checkbox" name="permissions" value=${permission} ?disabled=${isDisabled} .defaultChecked=${isChecked} />
            <span
              >${permissions[permission]} <span class="hint"><code>${permission}</code></span></span
            >
          </label>`;
        })}
      </fieldset>`,
  )}`;
}
