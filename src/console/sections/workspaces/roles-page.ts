import { LitElement, html } from 'lit';
import { property } from 'lit/decorators.js';
import type { Column } from '../../components/data-table.js';
import '../../components/data-table.js';
import { openForm } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { openMenu } from '../../components/menu.js';
import type { MenuItem } from '../../components/menu.js';
import { banner, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import { base } from '../../styles/base.js';
import { formatNumber } from '../../texts/format.js';
import type { Role } from './records.js';
import { roleDialog } from './role-dialog.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Roles of a workspace with their permissions. */
class RolesPage extends LitElement {
  static override styles = [base, noticeStyles, panelStyles];

  @property({ attribute: false }) view!: WorkspaceView;

  #columns(): Column<Role>[] {
    const { roles } = workspacesTexts;
    return [
      {
        id: 'name',
        title: roles.name,
        cell: (role) =>
          html`<span class="main"
            >${icon('key')}<span><bdi>${role.name}</bdi></span></span
          >`,
        width: '14rem',
      },
      { id: 'permissions', title: roles.permissions, cell: permissionsOf },
      {
        id: 'members',
        title: roles.members,
        cell: (role) => formatNumber(this.#membersWith(role)),
        width: '7rem',
        isNumber: true,
      },
    ];
  }

  #membersWith = ({ id }: Role): number => this.view.details.members.filter(({ role_id }) => role_id === id).length;

  /** Returns the reason for which the user may not change a role. */
  #reasonOf({ permissions }: Role): string | undefined {
    if (!this.view.may('roles:manage')) return workspacesTexts.lacks('roles:manage');
    return this.view.mayGrant(permissions) ? undefined : workspacesTexts.roles.strongerReason;
  }

  #itemsOf(role: Role): MenuItem[] {
    const { roles } = workspacesTexts;
    const reason = this.#reasonOf(role);
    const used = this.#membersWith(role) > 0 ? roles.usedReason : undefined;
    return [
      { label: roles.show, icon: 'info', run: () => void this.#edit(role, true) },
      { label: roles.change, icon: 'edit', disabledReason: reason, run: () => void this.#edit(role) },
      {
        label: roles.delete,
        icon: 'trash',
        isDangerous: true,
        startsGroup: true,
        disabledReason: reason ?? used,
        run: () => void this.#delete(role),
      },
    ];
  }

  async #edit(role?: Role, isReadOnly = false): Promise<void> {
    if (!(await roleDialog(this.view, role, isReadOnly))) return;
    showToast({ text: role ? workspacesTexts.roles.changed : workspacesTexts.roles.created });
    await this.view.reload();
  }

  async #delete(role: Role): Promise<void> {
    const { view } = this;
    const { roles, problems } = workspacesTexts;
    const isDone = await openForm(roles.deleteTitle(role.name), {
      fields: () => html`<p>${roles.deleteText}</p>`,
      submit: roles.delete,
      isDangerous: true,
      send: async (_form, signal) => {
        await view.context.account.delete(view.path(`/roles/${role.id}`), { signal });
        return true;
      },
      problems,
    });
    if (!isDone) return;
    showToast({ text: roles.deleted });
    await view.reload();
  }

  override render() {
    const { roles, pages, lacks } = workspacesTexts;
    const { view } = this;
    const mayManage = view.may('roles:manage');
    return html`<div class="bar">
        <h2>${pages.roles}</h2>
        ${mayManage ? html`<button class="primary" @click=${() => this.#edit()}>${icon('plus')}${roles.create}</button>` : ''}
      </div>
      ${mayManage ? '' : banner('note', 'lock', view.may('members:read') ? lacks('roles:manage') : roles.onlyYours)}
      <data-table
        .label=${pages.roles}
        .columns=${this.#columns()}
        .rows=${view.details.roles}
        .keyOf=${({ id }: Role) => id}
        .nameOf=${({ name }: Role) => name}
        .secondary=${permissionsOf}
        .hasMenu=${true}
        @row-open=${({ detail }: CustomEvent<Role>) => void this.#edit(detail, this.#reasonOf(detail) !== undefined)}
        @row-menu=${({ detail: { row, anchor } }: CustomEvent<{ row: Role; anchor: Element }>) =>
          openMenu(anchor, row.name, this.#itemsOf(row))}
      ></data-table>`;
  }
}
customElements.define('roles-page', RolesPage);

const permissionsOf = ({ permissions }: Role): string =>
  permissions.length === 0 ? workspacesTexts.roles.none : permissions.join(', ');
