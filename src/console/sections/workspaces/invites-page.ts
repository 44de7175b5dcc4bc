import { LitElement, html } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { Resource } from '../../api/resource.js';
import type { Column } from '../../components/data-table.js';
import '../../components/data-table.js';
import { openForm } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { openMenu } from '../../components/menu.js';
import { emptyState, errorState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import { base } from '../../styles/base.js';
import { formatNumber, formatTime } from '../../texts/format.js';
import { inviteDialog } from './invite-dialog.js';
import type { Invite } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Open invites of a workspace. */
class InvitesPage extends LitElement {
  static override styles = [base, noticeStyles, panelStyles];

  @property({ attribute: false }) view!: WorkspaceView;
  readonly #invites = new Resource(
    async (signal) =>
      (await this.view.context.account.get<{ invites: Invite[] }>(this.view.path('/invites'), { signal })).invites,
    () => this.requestUpdate(),
  );
  #shown: WorkspaceView['details'] | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#invites.stop();
  }

  override willUpdate(_changed: PropertyValues<this>): void {
    if (this.view.details === this.#shown) return;
    this.#shown = this.view.details;
    if (this.view.may('members:manage')) void this.#invites.load();
  }

  #create = async (): Promise<void> => {
    if (await inviteDialog(this.view)) await this.#invites.load();
  };

  async #delete(invite: Invite): Promise<void> {
    const { view } = this;
    const { invites, problems } = workspacesTexts;
    const isDone = await openForm(invites.deleteTitle(nameOf(invite)), {
      fields: () => html`<p>${invites.deleteText}</p>`,
      submit: invites.delete,
      isDangerous: true,
      send: async (_form, signal) => {
        await view.context.account.delete(view.path(`/invites/${invite.id}`), { signal });
        return true;
      },
      problems,
    });
    if (!isDone) return;
    showToast({ text: invites.deleted });
    await this.#invites.load();
  }

  #columns(): Column<Invite>[] {
    const { invites, members } = workspacesTexts;
    return [
      {
        id: 'for',
        title: invites.for,
        cell: (invite) =>
          html`<span class="main"
            >${icon(invite.email === null ? 'link' : 'users')}<span><bdi>${nameOf(invite)}</bdi></span></span
          >`,
      },
      { id: 'role', title: members.role, cell: this.#roleOf, width: '10rem' },
      { id: 'uses', title: invites.uses, cell: usesOf, width: '8rem', isNumber: true },
      { id: 'expires', title: members.expires, cell: ({ expires_at }) => formatTime(expires_at), width: '12rem' },
    ];
  }

  #roleOf = ({ role_id }: Invite): string => this.view.roleOf(role_id)?.name ?? '';

  override render() {
    const { invites, pages } = workspacesTexts;
    if (!this.view.may('members:manage'))
      return html`<h2>${pages.invites}</h2>
        ${emptyState('lock', { title: workspacesTexts.denied, text: workspacesTexts.lacks('members:manage') })}`;
    const button = html`<button class="primary" @click=${this.#create}>${icon('plus')}${invites.create}</button>`;
    const isEmpty = this.#invites.value?.length === 0;
    return html`<div class="bar">
        <h2>${pages.invites}</h2>
        ${isEmpty ? '' : button}
      </div>
      ${this.#content(button)}`;
  }

  #content(button: TemplateResult): TemplateResult {
    const { invites, pages } = workspacesTexts;
    const { value, error, isLoading } = this.#invites;
    if (error !== undefined) return errorState(error, this.#invites.load);
    if (value?.length === 0) return emptyState('share', invites.empty, button);
    return html`<data-table
      .label=${pages.invites}
      .columns=${this.#columns()}
      .rows=${value ?? []}
      .keyOf=${({ id }: Invite) => id}
      .nameOf=${nameOf}
      .secondary=${(invite: Invite) => [this.#roleOf(invite), usesOf(invite), formatTime(invite.expires_at)].join(' · ')}
      .isLoading=${isLoading && !value}
      .hasMenu=${true}
      @row-menu=${({ detail: { row, anchor } }: CustomEvent<{ row: Invite; anchor: Element }>) =>
        openMenu(anchor, nameOf(row), [
          { label: invites.delete, icon: 'trash', isDangerous: true, run: () => void this.#delete(row) },
        ])}
    ></data-table>`;
  }
}
customElements.define('invites-page', InvitesPage);

const nameOf = ({ email }: Invite): string => email ?? workspacesTexts.invites.everyone;
const usesOf = ({ uses, max_uses }: Invite): string => workspacesTexts.invites.usesOf(formatNumber(uses), formatNumber(max_uses));
