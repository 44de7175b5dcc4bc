import { LitElement, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import type { Workspace } from '../../api/records.js';
import type { Column } from '../../components/data-table.js';
import '../../components/data-table.js';
import { openForm } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { openMenu } from '../../components/menu.js';
import { emptyState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { nameField } from './fields.js';
import { workspacesTexts } from './texts/texts.js';

/** All workspaces of the user. */
class WorkspaceList extends LitElement {
  static override styles = [base, noticeStyles, panelStyles];

  @property({ attribute: false }) context!: ConsoleContext;

  #hrefOf = ({ id }: Workspace): string => this.context.router.href('workspaces', [id, 'members']);

  #create = async (): Promise<void> => {
    const { context } = this;
    const { create, problems } = workspacesTexts;
    const created = await openForm<Workspace>(create.title, {
      fields: (form) =>
        html`<p class="muted">${create.text}</p>
          ${nameField(form, create.name)}`,
      submit: create.submit,
      send: (data, signal) => context.account.post('/v1/workspaces', { signal, body: { name: String(data.get('name')).trim() } }),
      problems,
    });
    if (!created) return;
    showToast({ text: create.done });
    await context.refreshProfile().catch(() => {});
    context.router.go(this.#hrefOf(created));
  };

  #openMenu = (workspace: Workspace, anchor: Element): void => {
    const { list } = workspacesTexts;
    const { router, user } = this.context;
    const maySee = workspace.owner_id === user.id || workspace.permissions.includes('blob:read');
    openMenu(anchor, workspace.name, [
      { label: list.open, icon: 'users', href: this.#hrefOf(workspace) },
      maySee
        ? { label: list.switch, icon: 'files', href: router.href('files', [], { workspace: workspace.id }) }
        : { label: list.switch, icon: 'files', disabledReason: list.noFiles },
    ]);
  };

  override render() {
    const { title, list, create, listEmpty } = workspacesTexts;
    const { workspaces } = this.context;
    const button = html`<button class="primary" @click=${this.#create}>${icon('plus')}${create.action}</button>`;
    return html`<div class="bar">
        <h1>${title}</h1>
        ${workspaces.length === 0 ? nothing : button}
      </div>
      ${
        workspaces.length === 0
          ? emptyState('users', listEmpty, button)
          : html`<data-table
              .label=${list.label}
              .columns=${this.#columns()}
              .rows=${workspaces}
              .keyOf=${({ id }: Workspace) => id}
              .nameOf=${({ name }: Workspace) => name}
              .secondary=${this.#ownership}
              .hasMenu=${true}
              @row-open=${({ detail }: CustomEvent<Workspace>) => this.context.router.go(this.#hrefOf(detail))}
              @row-menu=${({ detail }: CustomEvent<{ row: Workspace; anchor: Element }>) => this.#openMenu(detail.row, detail.anchor)}
            ></data-table>`
      }`;
  }

  #columns(): Column<Workspace>[] {
    const { list } = workspacesTexts;
    const name = (workspace: Workspace): TemplateResult =>
      html`<span class="main">
        ${icon('users')}<a tabindex="-1" href=${this.#hrefOf(workspace)}><bdi>${workspace.name}</bdi></a>
        ${workspace.id === this.context.workspace?.id ? html`<span class="badge good">${list.chosen}</span>` : nothing}
      </span>`;
    return [
      { id: 'name', title: list.name, cell: name },
      { id: 'ownership', title: list.access, cell: this.#ownership, width: '14rem' },
    ];
  }

  #ownership = (workspace: Workspace): string => {
    const { list } = workspacesTexts;
    if (workspace.owner_id === this.context.user.id) return list.owner;
    if (workspace.permissions.includes('blob:manage')) return list.mayWrite;
    return workspace.permissions.includes('blob:read') ? list.mayRead : list.noAccess;
  };
}
customElements.define('workspace-list', WorkspaceList);
