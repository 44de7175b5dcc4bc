import { html } from 'lit';
import { icon } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { confirmDialog, openDialog } from '../../components/open-dialog.js';
import { timeCell } from '../../components/time-text.js';
import { formatRelative } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { openKeyChange } from './key-forms.js';
import { keyFacts } from './key-list.js';
import { scopeSummary } from './key-texts.js';
import { API_KEYS, APP_PREFIX } from './records.js';
import type { ApiKey } from './records.js';
import { accessTexts } from './texts/texts.js';

/** Applications that received a key over OAuth. */
class AppList extends ListPage<ApiKey> {
  protected async load(_cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<ApiKey>> {
    const keys = await this.context.account.get<ApiKey[]>(API_KEYS, { signal });
    const apps = keys.filter(({ name }) => name.startsWith(APP_PREFIX));
    return { rows: apps.map((app) => ({ ...app, name: app.name.slice(APP_PREFIX.length) })), cursor: null };
  }

  protected view(): ListView<ApiKey> {
    const { apps, columns, neverUsed } = accessTexts;
    return {
      label: accessTexts.tabs.apps,
      intro: apps.intro,
      icon: 'code',
      columns: [
        {
          id: 'name',
          title: columns.name,
          cell: ({ name }) =>
            html`<span class="main"
              >${icon('code')}<span><bdi>${name}</bdi></span></span
            >`,
        },
        { id: 'scopes', title: columns.scopes, cell: ({ scopes }) => scopeSummary(scopes), width: '15rem' },
        {
          id: 'used',
          title: columns.lastUsed,
          cell: ({ last_used_at: used }) => (used === null ? neverUsed : timeCell(used)),
          width: '11.5rem',
        },
        { id: 'created', title: apps.connected, cell: ({ created_at: created }) => timeCell(created), width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: ({ name }) => name,
      secondary: ({ scopes, last_used_at: used }) =>
        `${scopeSummary(scopes)} · ${used === null ? neverUsed : formatRelative(used)}`,
      open: (app) => void this.#showDetails(app),
      menuOf: (app) => [
        { label: accessTexts.details, icon: 'info', run: () => void this.#showDetails(app) },
        { label: apps.change, icon: 'edit', run: () => void this.#change(app) },
        { label: apps.disconnect, icon: 'trash', isDangerous: true, startsGroup: true, run: () => void this.#disconnect(app) },
      ],
      empty: apps.empty,
    };
  }

  async #change(app: ApiKey): Promise<void> {
    if (await openKeyChange(this.context.account, app)) await this.reload();
  }

  async #disconnect(app: ApiKey): Promise<void> {
    const { apps } = accessTexts;
    const heading = apps.disconnecting.heading(app.name);
    if (!(await confirmDialog({ heading, text: apps.disconnecting.text, confirm: apps.disconnect, isDangerous: true }))) return;
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.account.delete(`${API_KEYS}/${app.id}`, { signal }), apps.disconnecting.done(app.name));
  }

  async #showDetails(app: ApiKey): Promise<void> {
    const isEnding = await openDialog<boolean>(
      app.name,
      (dialog) =>
        html`${keyFacts(app)}
          <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
          <button slot="actions" class="danger" @click=${() => dialog.close(true)}>${accessTexts.apps.disconnect}</button>`,
    );
    if (isEnding) await this.#disconnect(app);
  }
}
customElements.define('app-list', AppList);
