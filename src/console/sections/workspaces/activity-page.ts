import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { property, state } from 'lit/decorators.js';
import { ACTIVITY_ACTIONS, actionsOf } from '../../../protocol/activity-actions.js';
import type { ActivityGroup } from '../../../protocol/activity-actions.js';
import type { Column } from '../../components/data-table.js';
import { factList } from '../../components/fact-list.js';
import type { Fact } from '../../components/fact-list.js';
import '../../components/data-table.js';
import { icon } from '../../components/icon.js';
import { emptyState, errorState, noticeStyles } from '../../components/notice.js';
import { openDialog } from '../../components/open-dialog.js';
import { panelStyles } from '../../components/panel.js';
import type { ConsoleContext } from '../../shell/context.js';
import { base } from '../../styles/base.js';
import { formatTime } from '../../texts/format.js';
import { ACTIVITY_FIELDS, activityQuery, filterOf } from './activity-filter.js';
import type { ActivityFilter } from './activity-filter.js';
import { ActivityEntries } from './activity-log.js';
import { actionLabel } from './action-label.js';
import type { Activity } from './records.js';
import { workspacesTexts } from './texts/texts.js';

/** An activity log. */
export interface ActivitySource {
  context: ConsoleContext;
  /** The route that lists the entries. */
  path: string;
  /** The route of the export; undefined if there is none. */
  exportPath?: string;
  /** Ids and names of people who are offered as authors. */
  people: readonly (readonly [id: string, name: string])[];
}

/** The activity log of a workspace, or of the own account. The address has its filters. */
class ActivityPage extends LitElement {
  static override styles = [
    base,
    noticeStyles,
    panelStyles,
    css`
      .filters {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(100%, 9.5rem), 1fr));
        gap: 0.75rem;
      }
      .filters label {
        font-size: 0.8125rem;
      }
      .filter-button {
        display: none;
      }
      /* On a phone, the filters would fill half of the window. */
      @media (max-width: 40rem) {
        .filter-button {
          display: inline-flex;
          align-self: start;
        }
        .filters:not(.open) {
          display: none;
        }
      }
    `,
  ];

  @property({ attribute: false }) source!: ActivitySource;
  /** Whether a phone shows the filters. */
  @state() private isFilterOpen = false;
  #log: ActivityEntries | undefined;
  /** Authors of entries that were read. Former members and keys are none of the members. */
  readonly #authors = new Map<string, string>();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#log?.stop();
  }

  override willUpdate(): void {
    const { context, path } = this.source;
    const filter = filterOf(context.router.place.params);
    const last = this.#log;
    if (last?.path === path && ACTIVITY_FIELDS.every((name) => last.filter[name] === filter[name])) return;
    this.#start(filter);
  }

  #start(filter: ActivityFilter): void {
    this.#log?.stop();
    const { context, path } = this.source;
    this.#log = new ActivityEntries(context.account, path, filter, () => this.#show());
    void this.#log.loadMore();
  }

  #show(): void {
    for (const { author_id, author } of this.#log?.entries ?? [])
      if (author_id !== null) this.#authors.set(author_id, author ?? author_id);
    this.requestUpdate();
  }

  #set = (name: keyof ActivityFilter) => (event: Event) => {
    const { value } = event.target as HTMLInputElement | HTMLSelectElement;
    this.source.context.router.setParams({ [name]: value === '' ? undefined : value }, { replace: true });
  };

  #reset = (): void =>
    this.source.context.router.setParams(Object.fromEntries(ACTIVITY_FIELDS.map((name) => [name, undefined])), { replace: true });

  override render() {
    const { pages, activity } = workspacesTexts;
    const { exportPath } = this.source;
    if (exportPath === undefined)
      return html`<h1>${pages.activity}</h1>
        <p class="muted">${activity.ofAccount}</p>
        ${this.#filters(this.#log!)} ${this.#content(this.#log!)}`;
    return html`<div class="bar">
        <h2>${pages.activity}</h2>
        <a class="button" download href=${exportAddress(exportPath, this.#log!.filter)} title=${activity.exportHint}>
          ${icon('download')}${activity.export}
        </a>
      </div>
      ${this.#filters(this.#log!)} ${this.#content(this.#log!)}`;
  }

  #people(): [string, string][] {
    return [...new Map([...this.#authors, ...this.source.people])].toSorted(([, a], [, b]) => a.localeCompare(b));
  }

  #filters({ filter }: ActivityEntries): TemplateResult {
    const { activity } = workspacesTexts;
    const choice = (name: 'author' | 'origin', label: string, entries: readonly (readonly [string, string])[]) => {
      const isUnknown = filter[name] !== '' && !entries.some(([value]) => value === filter[name]);
      return html`<div class="field">
        <label for=${name}>${label}</label>
        <select id=${name} @change=${this.#set(name)}>
          <option value="" ?selected=${filter[name] === ''}>${activity.all}</option>
          ${[...entries, ...(isUnknown ? [[filter[name], filter[name]] as const] : [])].map(
            ([value, title]) => html`<option value=${value} ?selected=${filter[name] === value}>${title}</option>`,
          )}
        </select>
      </div>`;
    };
    const day = (name: 'from' | 'until', label: string) =>
      html`<div class="field">
        <label for=${name}>${label}</label><input id=${name} type="date" .value=${filter[name]} @change=${this.#set(name)} />
      </div>`;
    const used = ACTIVITY_FIELDS.filter((name) => filter[name] !== '').length;
    return html`<button
        class="filter-button"
        aria-expanded=${String(this.isFilterOpen)}
        @click=${() => (this.isFilterOpen = !this.isFilterOpen)}
      >
        ${icon('settings')}${used === 0 ? activity.filters : `${activity.filters} (${used})`}
      </button>
      <div class="filters ${this.isFilterOpen ? 'open' : ''}" role="group" aria-label=${activity.filters}>
        <div class="field">
          <label for="action">${activity.action}</label>
          <select id="action" @change=${this.#set('action')}>
            <option value="" ?selected=${filter.action === ''}>${activity.all}</option>
            ${actionGroups(filter.action)}
          </select>
        </div>
        ${choice('author', activity.author, this.#people())}
        ${choice('origin', activity.origin, Object.entries(activity.origins))}
        <div class="field">
          <label for="path">${activity.path}</label>
          <input id="path" type="text" maxlength="1024" spellcheck="false" .value=${filter.path} @change=${this.#set('path')} />
        </div>
        ${day('from', activity.from)} ${day('until', activity.until)}
      </div>`;
  }

  #content(log: ActivityEntries): TemplateResult {
    const { activity } = workspacesTexts;
    const { entries, error, isLoading, hasMore } = log;
    if (error !== undefined && entries.length === 0) return errorState(error, log.loadMore);
    if (entries.length === 0 && !isLoading) {
      const isFiltered = ACTIVITY_FIELDS.some((name) => log.filter[name] !== '');
      if (!isFiltered) return emptyState('activity', activity.empty);
      const more = hasMore ? html`<button @click=${log.loadMore}>${activity.searchOn}</button>` : nothing;
      return emptyState(
        'activity',
        { title: activity.noMatch, text: hasMore ? activity.olderLeft : '' },
        html`${more}<button @click=${this.#reset}>${activity.reset}</button>`,
      );
    }
    return html`<data-table
        .label=${workspacesTexts.pages.activity}
        .columns=${columns()}
        .rows=${entries}
        .keyOf=${({ id }: Activity) => id}
        .nameOf=${({ action }: Activity) => actionLabel(action)}
        .secondary=${(entry: Activity) => [formatTime(entry.created_at), authorOf(entry)].join(' · ')}
        .isLoading=${isLoading}
        .hasMore=${hasMore && error === undefined}
        @row-open=${({ detail }: CustomEvent<Activity>) => void showEntry(detail)}
        @need-rows=${log.loadMore}
      ></data-table>
      ${error === undefined ? nothing : errorState(error, log.loadMore)}`;
  }
}
customElements.define('activity-page', ActivityPage);

function exportAddress(path: string, filter: ActivityFilter): string {
  const query = new URLSearchParams(activityQuery(filter)).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The choices of actions, one group after the other. */
function actionGroups(chosen: string): TemplateResult[] {
  const { groups, allOf } = workspacesTexts.activity;
  const option = (value: string, title: string) => html`<option value=${value} ?selected=${value === chosen}>${title}</option>`;
  return (Object.keys(ACTIVITY_ACTIONS) as ActivityGroup[])
    .toSorted((a, b) => groups[a].localeCompare(groups[b]))
    .map((group) => {
      const actions = actionsOf(group).map((action) => option(action, actionLabel(action)));
      return html`<optgroup label=${groups[group]}>
        ${actions.length > 1 ? option(group, allOf(groups[group])) : nothing} ${actions}
      </optgroup>`;
    });
}

const authorOf = ({ author, origin }: Activity): string => author ?? workspacesTexts.activity.origins[origin];

/** Names the object of an entry, as far as its details do. */
function objectOf({ details, target_id }: Activity): string {
  const { paths, count } = details;
  if (Array.isArray(paths) && typeof paths[0] === 'string')
    return typeof count === 'number' && count > 1 ? workspacesTexts.activity.andMore(count - 1, paths[0]) : paths[0];
  const named = ['name', 'email', 'path', 'prefix', 'host', 'url', 'role', 'bucket'].map((field) => details[field]);
  return (named.find((value) => typeof value === 'string' && value !== '') as string | undefined) ?? target_id ?? '';
}

function columns(): Column<Activity>[] {
  const { activity } = workspacesTexts;
  return [
    {
      id: 'action',
      title: activity.action,
      cell: (entry) =>
        html`<span class="main">
          ${icon('activity')}
          <button class="link" tabindex="-1" @click=${() => showEntry(entry)}>${actionLabel(entry.action)}</button>
          ${entry.status === 'failure' ? html`<span class="badge">${activity.failed}</span>` : nothing}
        </span>`,
    },
    { id: 'object', title: activity.object, cell: (entry) => html`<bdi>${objectOf(entry)}</bdi>` },
    { id: 'author', title: activity.author, cell: (entry) => html`<bdi>${authorOf(entry)}</bdi>`, width: '11rem' },
    { id: 'origin', title: activity.origin, cell: ({ origin }) => activity.origins[origin], width: '8rem' },
    { id: 'time', title: activity.time, cell: ({ created_at }) => formatTime(created_at), width: '12rem' },
  ];
}

function showEntry(entry: Activity): Promise<unknown> {
  const { activity } = workspacesTexts;
  const line = (title: string, value: string): Fact => [title, html`<bdi>${value}</bdi>`];
  const details = Object.entries(entry.details);
  return openDialog(actionLabel(entry.action), () =>
    factList([
      line(activity.time, formatTime(entry.created_at)),
      line(activity.author, authorOf(entry)),
      line(activity.origin, activity.origins[entry.origin]),
      line(activity.action, entry.action),
      ...(entry.target_id === null ? [] : [line('ID', entry.target_id)]),
      ...details.map(([name, value]) => line(name, typeof value === 'string' ? value : JSON.stringify(value))),
    ]),
  );
}
