import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { factList } from '../../components/fact-list.js';
import { confirmDialog, openDialog } from '../../components/open-dialog.js';
import { adoptSheet } from '../../styles/adopt-base.js';
import { formStyles } from '../../components/form-styles.js';
import { icon } from '../../components/icon.js';
import type { MenuItem } from '../../components/menu.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { openCopyDialog } from '../../components/secret-dialog.js';
import { timeCell, timeLine } from '../../components/time-text.js';
import { formatRelative } from '../../texts/format.js';
import { texts } from '../../texts/texts.js';
import { openKeyChange, openNewKey, openRotation } from './key-forms.js';
import { keyExample, scopeList, scopeSummary } from './key-texts.js';
import { API_KEYS, APP_PREFIX } from './records.js';
import type { ApiKey, CreatedApiKey } from './records.js';
import { accessTexts } from './texts/texts.js';

/** The API keys of the user. */
class KeyList extends ListPage<ApiKey> {
  protected async load(_cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<ApiKey>> {
    const keys = await this.context.account.get<ApiKey[]>(API_KEYS, { signal });
    return { rows: keys.filter(({ name }) => !name.startsWith(APP_PREFIX)), cursor: null };
  }

  protected view(): ListView<ApiKey> {
    const { keys, columns, neverUsed } = accessTexts;
    return {
      label: accessTexts.tabs.keys,
      intro: keys.intro,
      icon: 'key',
      columns: [
        { id: 'name', title: columns.name, cell: keyName },
        { id: 'scopes', title: columns.scopes, cell: ({ scopes }) => scopeSummary(scopes), width: '15rem' },
        {
          id: 'used',
          title: columns.lastUsed,
          cell: ({ last_used_at: used }) => (used === null ? neverUsed : timeCell(used)),
          width: '11.5rem',
        },
        { id: 'created', title: columns.created, cell: ({ created_at: created }) => timeCell(created), width: '11.5rem' },
      ],
      keyOf: ({ id }) => id,
      nameOf: ({ name }) => name,
      secondary: ({ scopes, last_used_at: used }) =>
        `${scopeSummary(scopes)} · ${used === null ? neverUsed : formatRelative(used)}`,
      open: (key) => void this.#showDetails(key),
      menuOf: (key) => this.#menuOf(key),
      create: { label: keys.create, run: this.#create },
      empty: keys.empty,
    };
  }

  #menuOf(key: ApiKey): MenuItem[] {
    const { keys } = accessTexts;
    return [
      { label: accessTexts.details, icon: 'info', run: () => void this.#showDetails(key) },
      { label: keys.change, icon: 'edit', run: () => void this.#change(key) },
      { label: keys.rotate, icon: 'refresh', run: () => void this.#rotate(key) },
      { label: accessTexts.revoke, icon: 'trash', isDangerous: true, startsGroup: true, run: () => void this.#revoke(key) },
    ];
  }

  #create = async (): Promise<void> => {
    const created = await openNewKey(this.context.account);
    if (created) await this.#showSecret(accessTexts.keys.created(created.name), created);
  };

  async #rotate(key: ApiKey): Promise<void> {
    const rotated = await openRotation(this.context.account, key);
    if (rotated) await this.#showSecret(accessTexts.keys.rotated(rotated.name), rotated);
  }

  async #showSecret(heading: string, key: CreatedApiKey): Promise<void> {
    void this.reload();
    await openCopyDialog(heading, {
      warning: accessTexts.keys.once,
      items: [
        { label: accessTexts.keys.secret, value: key.api_key },
        { label: accessTexts.example, value: keyExample(key.api_key, key.scopes) },
      ],
      close: accessTexts.copied,
    });
  }

  async #change(key: ApiKey): Promise<void> {
    if (await openKeyChange(this.context.account, key)) await this.reload();
  }

  async #revoke(key: ApiKey): Promise<void> {
    const { revoking } = accessTexts.keys;
    const text = revoking.text;
    const options = { heading: revoking.heading(key.name), text, confirm: accessTexts.revoke, isDangerous: true };
    if (!(await confirmDialog(options))) return;
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.account.delete(`${API_KEYS}/${key.id}`, { signal }), revoking.done(key.name));
  }

  async #showDetails(key: ApiKey): Promise<void> {
    const isChanging = await openDialog<boolean>(
      key.name,
      (dialog) =>
        html`${keyFacts(key)}
          <button slot="actions" @click=${() => dialog.close()}>${texts.close}</button>
          <button slot="actions" class="primary" @click=${() => dialog.close(true)}>${accessTexts.keys.change}</button>`,
    );
    if (isChanging) await this.#change(key);
  }
}
customElements.define('key-list', KeyList);

const keyName = ({ name, last4 }: ApiKey): TemplateResult =>
  html`<span class="main"
    >${icon('key')}<span><bdi>${name}</bdi></span
    >${last4 === null ? nothing : html`<code class="ending">…${last4}</code>`}</span
  >`;

/** Lists everything about a key except its secret. */
export function keyFacts(key: ApiKey): TemplateResult {
  adoptSheet(formStyles);
  const { columns, keys, neverUsed } = accessTexts;
  return factList([
    [columns.scopes, scopeList(key)],
    [keys.addresses, key.allowed_ips.length === 0 ? keys.anyAddress : html`<code>${key.allowed_ips.join(', ')}</code>`],
    [columns.lastUsed, key.last_used_at === null ? neverUsed : timeLine(key.last_used_at)],
    [columns.created, timeLine(key.created_at)],
    ...(key.last4 === null ? [] : [[keys.secret, html`<code>${key.prefix}…${key.last4}</code>`] as const]),
  ]);
}
