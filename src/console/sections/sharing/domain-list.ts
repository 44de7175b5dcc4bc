import { html } from 'lit';
import type { TemplateResult } from 'lit';
import { openForm, textField, textOf } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { ListPage } from '../../components/list-page.js';
import type { ListPageResult, ListView } from '../../components/list-page.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { timeCell } from '../../components/time-text.js';
import { openDomain } from './domain-dialog.js';
import { PathSuggestions } from './fields.js';
import type { Domain } from './records.js';
import { sharingTexts } from './texts/texts.js';

/** Host names that serve the public files of the storage. */
class DomainList extends ListPage<Domain> {
  protected async load(_cursor: string | undefined, signal: AbortSignal): Promise<ListPageResult<Domain>> {
    const { domains } = await this.context.storage.get<{ domains: Domain[] }>('/v1/domains', { signal });
    return { rows: domains, cursor: null };
  }

  protected view(): ListView<Domain> {
    const { domains, columns } = sharingTexts;
    return {
      label: sharingTexts.tabs.domains,
      intro: domains.intro,
      icon: 'globe',
      columns: [
        {
          id: 'host',
          title: domains.host,
          cell: ({ host }) => html`<span class="main">${icon('globe')}<span>${host}</span></span>`,
        },
        { id: 'folder', title: columns.folder, cell: folderOf, width: '12rem' },
        { id: 'state', title: columns.state, cell: stateBadge, width: '11rem' },
        {
          id: 'checked',
          title: domains.checked,
          cell: ({ checked_at: checked }) => (checked === null ? sharingTexts.never : timeCell(checked)),
          width: '11.5rem',
        },
      ],
      keyOf: ({ id }) => id,
      nameOf: ({ host }) => host,
      secondary: (domain) => `${domains.states[domain.status]} · ${folderOf(domain)}`,
      open: (domain) => void this.#open(domain),
      menuOf: (domain) => [
        { label: domains.show, icon: 'info', run: () => void this.#open(domain) },
        { label: domains.change, icon: 'edit', disabledReason: this.readOnlyReason, run: () => void this.#change(domain) },
        {
          label: domains.remove,
          icon: 'trash',
          isDangerous: true,
          startsGroup: true,
          disabledReason: this.readOnlyReason,
          run: () => void this.#remove(domain),
        },
      ],
      create: { label: domains.create, run: this.#create },
      empty: domains.empty,
    };
  }

  async #open(domain: Domain): Promise<void> {
    await openDomain(this.context.storage, domain);
    await this.reload();
  }

  #create = async (): Promise<void> => {
    const { domains } = sharingTexts;
    const stop = new AbortController();
    const suggestions = new PathSuggestions(this.context.storage, stop.signal);
    const created = await openForm(domains.create, {
      submit: domains.submit,
      fields: (form) =>
        html`${textField(form, {
          name: 'host',
          label: domains.host,
          hint: domains.hostHint,
          placeholder: 'files.example.com',
          isFocused: true,
        })}
        ${suggestions.field(form, {
          name: 'prefix',
          label: sharingTexts.columns.folder,
          hint: sharingTexts.folderHint,
          placeholder: 'public',
        })}`,
      send: (data, signal) =>
        this.context.storage.post<Domain>('/v1/domains', {
          body: { host: textOf(data, 'host'), prefix: textOf(data, 'prefix') },
          signal,
        }),
    });
    stop.abort();
    if (!created) return;
    void this.reload();
    await this.#open(created);
  };

  async #change(domain: Domain): Promise<void> {
    const { domains } = sharingTexts;
    const stop = new AbortController();
    const suggestions = new PathSuggestions(this.context.storage, stop.signal);
    const changed = await openForm(domains.change, {
      submit: sharingTexts.save,
      fields: (form) =>
        suggestions.field(form, {
          name: 'prefix',
          label: sharingTexts.columns.folder,
          hint: sharingTexts.folderHint,
          value: domain.prefix,
          isFocused: true,
        }),
      send: (data, signal) =>
        this.context.storage.patch<Domain>(`/v1/domains/${domain.id}`, { body: { prefix: textOf(data, 'prefix') }, signal }),
    });
    stop.abort();
    if (changed) await this.reload();
  }

  async #remove({ id, host }: Domain): Promise<void> {
    const { removing, remove } = sharingTexts.domains;
    if (!(await confirmDialog({ heading: removing.heading(host), text: removing.text, confirm: remove, isDangerous: true })))
      return;
    const signal = AbortSignal.timeout(30_000);
    await this.act(() => this.context.storage.delete(`/v1/domains/${id}`, { signal }), removing.done(host));
  }
}
customElements.define('domain-list', DomainList);

const folderOf = ({ prefix }: Domain): string => (prefix === '' ? sharingTexts.allFiles : `${prefix}/`);

const KINDS = { verified: 'good', pending: 'warning', suspended: 'warning' } as const;
const stateBadge = ({ status }: Domain): TemplateResult =>
  html`<span class="badge ${KINDS[status]}">${sharingTexts.domains.states[status]}</span>`;
