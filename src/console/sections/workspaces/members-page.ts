import { LitElement, html, nothing } from 'lit';
import { property } from 'lit/decorators.js';
import type { Column } from '../../components/data-table.js';
import '../../components/data-table.js';
import { openForm, textField, textOf } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { openMenu } from '../../components/menu.js';
import type { MenuItem } from '../../components/menu.js';
import { banner, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import { base } from '../../styles/base.js';
import { formatTime } from '../../texts/format.js';
import { dateFieldValue, endOfDay, roleField } from './fields.js';
import { inviteDialog } from './invite-dialog.js';
import { leaveWorkspace } from './leave.js';
import type { Member, Person } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** The owner, or a member. */
type Row = Person & Partial<Member>;

/** Members of a workspace with their roles. */
class MembersPage extends LitElement {
  static override styles = [base, noticeStyles, panelStyles];

  @property({ attribute: false }) view!: WorkspaceView;

  #rows = (): Row[] => [this.view.details.owner, ...this.view.details.members];

  #columns(): Column<Row>[] {
    const { members } = workspacesTexts;
    return [
      {
        id: 'name',
        title: members.name,
        cell: (row) =>
          html`<span class="main"
            >${icon('users')}<span><bdi>${row.name}</bdi></span>
            ${row.user_id === this.view.context.user.id ? html`<span class="badge">${members.you}</span>` : nothing}
            ${isExpired(row) ? html`<span class="badge warning">${members.expired}</span>` : nothing}</span
          >`,
      },
      { id: 'email', title: members.email, cell: ({ email }) => email },
      { id: 'role', title: members.role, cell: roleName, width: '10rem' },
      { id: 'expires', title: members.expires, cell: expiry, width: '12rem' },
    ];
  }

  #invite = async (): Promise<void> => {
    if (await inviteDialog(this.view)) this.view.context.router.go(this.#invitesHref());
  };

  #invitesHref = (): string => this.view.context.router.href('workspaces', [this.view.details.id, 'invites']);

  #openMenu = (row: Row, anchor: Element): void => openMenu(anchor, row.name, this.#itemsOf(row));

  #itemsOf(row: Row): MenuItem[] {
    const { members } = workspacesTexts;
    const { view } = this;
    if (!isMember(row)) return [{ label: members.change, icon: 'edit', disabledReason: members.ownerReason }];
    const permissions = view.roleOf(row.role_id)?.permissions ?? [];
    const noRight = view.may('members:manage') ? undefined : workspacesTexts.lacks('members:manage');
    const reason = noRight ?? (view.mayGrant(permissions) ? undefined : members.strongerReason);
    const isSelf = row.user_id === view.context.user.id;
    return [
      { label: members.change, icon: 'edit', disabledReason: reason, run: () => void this.#change(row) },
      isSelf
        ? {
            label: workspacesTexts.leave.action,
            icon: 'signOut',
            isDangerous: true,
            startsGroup: true,
            run: () => void leaveWorkspace(view),
          }
        : {
            label: members.remove,
            icon: 'trash',
            isDangerous: true,
            startsGroup: true,
            disabledReason: reason,
            run: () => void this.#remove(row),
          },
    ];
  }

  async #change(member: Member): Promise<void> {
    const { view } = this;
    const { members, problems } = workspacesTexts;
    const before = dateFieldValue(member.expires_at);
    const changed = await openForm(members.changeTitle(member.name), {
      fields: (form) =>
        html`${roleField(form, view, member.role_id)}
        ${textField(form, {
          name: 'expires_at',
          label: members.expiresLabel,
          hint: members.expiresHint,
          type: 'date',
          value: before,
        })}`,
      submit: members.save,
      send: (data, signal) => {
        const expires = textOf(data, 'expires_at');
        const body = { role_id: data.get('role_id'), ...(expires !== before && { expires_at: endOfDay(expires) }) };
        return view.context.account.put<Member>(view.path(`/members/${member.user_id}`), { signal, body });
      },
      problems,
    });
    if (!changed) return;
    showToast({ text: members.changed });
    await view.reload();
  }

  async #remove(member: Member): Promise<void> {
    const { view } = this;
    const { members, problems } = workspacesTexts;
    const removed = await openForm(members.removeTitle(member.name), {
      fields: () => html`<p>${members.removeText}</p>`,
      submit: members.remove,
      isDangerous: true,
      send: async (_form, signal) => {
        await view.context.account.delete(view.path(`/members/${member.user_id}`), { signal });
        return true;
      },
      problems,
    });
    if (!removed) return;
    showToast({ text: members.removed(member.name) });
    await view.reload();
  }

  override render() {
    const { members, pages, invites } = workspacesTexts;
    const { view } = this;
    return html`<div class="bar">
        <h2>${pages.members}</h2>
        ${
          view.may('members:manage')
            ? html`<button class="primary" @click=${this.#invite}>${icon('plus')}${invites.create}</button>`
            : nothing
        }
      </div>
      ${view.may('members:read') ? nothing : banner('note', 'lock', members.onlyYou)}
      ${view.may('members:read') && !view.may('members:manage') ? banner('note', 'lock', members.readOnly) : nothing}
      <data-table
        .label=${pages.members}
        .columns=${this.#columns()}
        .rows=${this.#rows()}
        .keyOf=${(row: Row) => row.user_id}
        .nameOf=${(row: Row) => row.name}
        .secondary=${(row: Row) => [roleName(row), row.email].join(' · ')}
        .hasMenu=${true}
        @row-open=${({ detail }: CustomEvent<Row>) => {
          if (isMember(detail) && view.may('members:manage') && view.mayGrant(view.roleOf(detail.role_id)?.permissions ?? []))
            void this.#change(detail);
        }}
        @row-menu=${({ detail }: CustomEvent<{ row: Row; anchor: Element }>) => this.#openMenu(detail.row, detail.anchor)}
      ></data-table>
      ${view.details.members.length === 0 && view.may('members:manage') ? html`<p class="muted">${members.alone}</p>` : nothing}`;
  }
}
customElements.define('members-page', MembersPage);

const isMember = (row: Row): row is Member => row.role_id !== undefined;
const isExpired = ({ expires_at }: Row): boolean => expires_at != null && Date.parse(expires_at) <= Date.now();
const roleName = ({ role }: Row): string => role ?? workspacesTexts.members.owner;
const expiry = ({ expires_at }: Row): string => (expires_at ? formatTime(expires_at) : workspacesTexts.members.never);
