import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { Action } from '../../components/action.js';
import { problemLine } from '../../components/describe-error.js';
import { openForm, selectField } from '../../components/form.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { banner, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import { base } from '../../styles/base.js';
import { goToList, leaveWorkspace } from './leave.js';
import type { Member } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** Name, transfer and deletion for the owner; the end of the membership for members. */
class SettingsPage extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    panelStyles,
    css`
      :host {
        max-inline-size: 48rem;
      }
      .panel {
        justify-items: start;
      }
      .panel form {
        inline-size: 100%;
      }
    `,
  ];

  @property({ attribute: false }) view!: WorkspaceView;
  readonly #action = new Action(this);

  #rename = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { view } = this;
    const name = String(new FormData(event.target as HTMLFormElement).get('name')).trim();
    if (!(await this.#action.run((signal) => view.context.account.put(view.path(), { signal, body: { name } })))) return;
    showToast({ text: workspacesTexts.rename.done });
    await view.context.refreshProfile().catch(() => {});
  };

  #transfer = async (): Promise<void> => {
    const { view } = this;
    const { transfer, problems } = workspacesTexts;
    const candidates = view.details.members.filter(isActive);
    const isDone = await openForm(transfer.title, {
      fields: (form) =>
        html`<p>${transfer.text}</p>
          <ul>
            ${transfer.effects.map((effect) => html`<li>${effect}</li>`)}
          </ul>
          ${selectField(form, {
            name: 'user_id',
            label: transfer.newOwner,
            isRequired: true,
            choices: [
              ['', transfer.choose],
              ...candidates.map(({ user_id, name, email }) => [user_id, `${name} (${email})`] as const),
            ],
            value: '',
          })}`,
      submit: transfer.action,
      isDangerous: true,
      send: async (data, signal) => {
        await view.context.account.post(view.path('/transfer'), { signal, body: { user_id: data.get('user_id') } });
        return true;
      },
      problems: { ...problems, 'VALIDATION_ERROR:too_many_workspaces': transfer.tooMany },
    });
    if (!isDone) return;
    showToast({ text: transfer.done });
    await view.context.refreshProfile().catch(() => {});
  };

  #delete = async (): Promise<void> => {
    const { view } = this;
    const { remove, problems } = workspacesTexts;
    const { name, id } = view.details;
    const options = {
      heading: remove.title(name),
      text: remove.text,
      confirm: remove.action,
      isDangerous: true,
      typedName: name.trim(),
    };
    if (!(await confirmDialog(options))) return;
    const isDone = await this.#action.run((signal) => view.context.account.delete(view.path(), { signal }));
    if (!isDone) {
      showToast({ kind: 'problem', text: problemLine(this.#action.error, problems) });
      return;
    }
    showToast({ text: remove.done(name) });
    await goToList(view.context, id);
  };

  override render() {
    const { pages, ownerOnly } = workspacesTexts;
    const { isOwner } = this.view;
    return html`<h2>${pages.settings}</h2>
      ${isOwner ? nothing : banner('note', 'lock', ownerOnly)}
      ${isOwner ? html`${this.#renamePanel()}${this.#transferPanel()}${this.#deletePanel()}` : this.#leavePanel()}`;
  }

  #renamePanel(): TemplateResult {
    const { rename, problems } = workspacesTexts;
    const { error, isRunning } = this.#action;
    return html`<section class="panel" aria-labelledby="rename">
      <h3 id="rename">${rename.title}</h3>
      <form @submit=${this.#rename}>
        <div class="field">
          <label for="name">${rename.name}</label>
          <input
            id="name"
            name="name"
            required
            maxlength="60"
            pattern=".*\\S.*"
            autocomplete="off"
            .value=${this.view.details.name}
          />
        </div>
        ${error === undefined ? nothing : html`<p class="error" role="alert">${problemLine(error, problems)}</p>`}
        <button class="primary" ?disabled=${isRunning}>${rename.action}</button>
      </form>
    </section>`;
  }

  #transferPanel(): TemplateResult {
    const { transfer } = workspacesTexts;
    const hasCandidates = this.view.details.members.some(isActive);
    return html`<section class="panel" aria-labelledby="transfer">
      <h3 id="transfer">${transfer.title}</h3>
      <p class="muted">${hasCandidates ? transfer.hint : transfer.noMembers}</p>
      <button ?disabled=${!hasCandidates} @click=${this.#transfer}>${transfer.action}</button>
    </section>`;
  }

  #deletePanel(): TemplateResult {
    const { remove } = workspacesTexts;
    return html`<section class="panel" aria-labelledby="delete">
      <h3 id="delete">${remove.heading}</h3>
      <p class="muted">${remove.text}</p>
      <button class="danger" @click=${this.#delete}>${remove.action}</button>
    </section>`;
  }

  #leavePanel(): TemplateResult {
    const { leave } = workspacesTexts;
    return html`<section class="panel" aria-labelledby="leave">
      <h3 id="leave">${leave.action}</h3>
      <p class="muted">${leave.text}</p>
      <button class="danger" @click=${() => leaveWorkspace(this.view)}>${leave.action}</button>
    </section>`;
  }
}
customElements.define('settings-page', SettingsPage);

const isActive = ({ expires_at }: Member): boolean => expires_at === null || Date.parse(expires_at) > Date.now();
