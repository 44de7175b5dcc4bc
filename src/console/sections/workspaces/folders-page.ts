import { LitElement, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import { Action } from '../../components/action.js';
import { problemLine } from '../../components/describe-error.js';
import { openForm } from '../../components/form.js';
import { icon } from '../../components/icon.js';
import { openMenu } from '../../components/menu.js';
import type { MenuItem } from '../../components/menu.js';
import { emptyState, noticeStyles } from '../../components/notice.js';
import { panelStyles } from '../../components/panel.js';
import { showToast } from '../../components/toast.js';
import { base } from '../../styles/base.js';
import { formatNumber } from '../../texts/format.js';
import { bucketDialog, folderDialog } from './folder-dialogs.js';
import { folderStyles } from './folder-styles.js';
import type { Folder, PlacedResource } from './records.js';
import { workspacesTexts } from './texts/texts.js';
import type { WorkspaceView } from './workspace-view.js';

/** The user's own folders and favorites in a workspace. They contain buckets. */
class FoldersPage extends LitElement {
  static override styles = [base, noticeStyles, panelStyles, folderStyles];

  @property({ attribute: false }) view!: WorkspaceView;
  readonly #action = new Action(this);

  /** Sends a change, then reads the workspace again. */
  async #send(change: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const isDone = await this.#action.run(change);
    if (!isDone) showToast({ kind: 'problem', text: problemLine(this.#action.error, workspacesTexts.problems) });
    await this.view.reload();
  }

  #place = (path: string, position?: number): Promise<void> =>
    this.#send((signal) =>
      this.view.context.account.put(this.view.path(path), { signal, body: position === undefined ? {} : { position } }),
    );

  #take = (path: string): Promise<void> =>
    this.#send((signal) => this.view.context.account.delete(this.view.path(path), { signal }));

  #openFolder = async (folder?: Folder): Promise<void> => {
    if (await folderDialog(this.view, folder)) await this.view.reload();
  };

  #addBucket = async (folder?: Folder): Promise<void> => {
    if (await bucketDialog(this.view, folder)) await this.view.reload();
  };

  async #delete({ id, name }: Folder): Promise<void> {
    const { view } = this;
    const { folders, problems } = workspacesTexts;
    const isDone = await openForm(folders.deleteTitle(name), {
      fields: () => html`<p>${folders.deleteText}</p>`,
      submit: folders.delete,
      isDangerous: true,
      send: async (_form, signal) => {
        await view.context.account.delete(view.path(`/folders/${id}`), { signal });
        return true;
      },
      problems,
    });
    if (isDone) await view.reload();
  }

  #folderItems(folder: Folder, index: number, count: number): MenuItem[] {
    const { folders } = workspacesTexts;
    const move = (position: number) => () =>
      void this.#send((signal) =>
        this.view.context.account.patch(this.view.path(`/folders/${folder.id}`), { signal, body: { position } }),
      );
    return [
      { label: folders.addBucket, icon: 'plus', run: () => void this.#addBucket(folder) },
      { label: folders.change, icon: 'edit', run: () => void this.#openFolder(folder) },
      ...(index > 0 ? [{ label: folders.moveUp, icon: 'sort' as const, run: move(index - 1) }] : []),
      ...(index < count - 1 ? [{ label: folders.moveDown, icon: 'sort' as const, run: move(index + 1) }] : []),
      { label: folders.delete, icon: 'trash', isDangerous: true, startsGroup: true, run: () => void this.#delete(folder) },
    ];
  }

  #resourceItems(resource: PlacedResource, list: readonly PlacedResource[], base: string, folder?: Folder): MenuItem[] {
    const { folders } = workspacesTexts;
    const path = `${base}/${pathOf(resource)}`;
    const index = list.indexOf(resource);
    const { folders: all, favorites } = this.view.details.resource_organization;
    const isFavorite = favorites.some((other) => pathOf(other) === pathOf(resource));
    return [
      ...(index > 0 ? [{ label: folders.moveUp, icon: 'sort' as const, run: () => void this.#place(path, index - 1) }] : []),
      ...(index < list.length - 1
        ? [{ label: folders.moveDown, icon: 'sort' as const, run: () => void this.#place(path, index + 1) }]
        : []),
      ...all
        .filter((other) => other !== folder)
        .map((other): MenuItem => ({
          label: folders.moveTo(other.name),
          icon: 'folder',
          run: () => void this.#place(`/folders/${other.id}/resources/${pathOf(resource)}`),
        })),
      ...(folder && !isFavorite
        ? [{ label: folders.addFavorite, icon: 'plus' as const, run: () => void this.#place(`/favorites/${pathOf(resource)}`) }]
        : []),
      {
        label: folder ? folders.takeOut : folders.removeFavorite,
        icon: 'close',
        isDangerous: true,
        startsGroup: true,
        run: () => void this.#take(path),
      },
    ];
  }

  override render() {
    const { folders, pages } = workspacesTexts;
    const { folders: all, favorites } = this.view.details.resource_organization;
    const create = html`<button class="primary" @click=${() => this.#openFolder()}>
      ${icon('newFolder')}${folders.create}
    </button>`;
    const mayPlace = this.view.may('blob:read') || this.view.may('blob:manage');
    return html`<div class="bar">
        <h2>${pages.folders}</h2>
        ${all.length === 0 ? nothing : create}
      </div>
      <p class="muted">${folders.hint}</p>
      ${this.#favoritesPanel(favorites, mayPlace)}
      ${
        all.length === 0
          ? emptyState('folder', folders.empty, create)
          : html`<div class="folders">${all.map((folder, index) => this.#folderPanel(folder, index, all.length))}</div>`
      }`;
  }

  #favoritesPanel(favorites: readonly PlacedResource[], mayPlace: boolean): TemplateResult {
    const { folders, lacks } = workspacesTexts;
    return html`<section class="panel" aria-labelledby="favorites">
      <div class="bar">
        <h3 id="favorites">${folders.favorites}</h3>
        ${mayPlace ? html`<button @click=${() => this.#addBucket()}>${icon('plus')}${folders.addFavorite}</button>` : nothing}
      </div>
      ${favorites.length === 0 ? html`<p class="muted">${mayPlace ? folders.noFavorites : lacks('blob:read')}</p>` : this.#resources(favorites, '/favorites')}
    </section>`;
  }

  #folderPanel(folder: Folder, index: number, count: number): TemplateResult {
    const { folders } = workspacesTexts;
    const { id, name, color, resources } = folder;
    return html`<section class="panel" aria-labelledby=${id}>
      <div class="bar">
        <h3 id=${id} class="folder ${color}">
          ${icon('folder')}<bdi>${name}</bdi><span class="badge">${formatNumber(resources.length)}</span>
        </h3>
        <button
          class="plain icon"
          aria-haspopup="menu"
          aria-label=${folders.actionsOf(name)}
          @click=${(event: MouseEvent) => openMenu(event.currentTarget as Element, name, this.#folderItems(folder, index, count))}
        >
          ${icon('more')}
        </button>
      </div>
      ${resources.length === 0 ? html`<p class="muted">${folders.emptyFolder}</p>` : this.#resources(resources, `/folders/${id}/resources`, folder)}
    </section>`;
  }

  #resources(list: readonly PlacedResource[], base: string, folder?: Folder): TemplateResult {
    const { folders } = workspacesTexts;
    return html`<ul class="resources">
      ${list.map(
        (resource) =>
          html`<li>
            ${icon('archive')}<bdi>${resource.resource_id}</bdi>
            <button
              class="plain icon"
              aria-haspopup="menu"
              aria-label=${folders.actionsOf(resource.resource_id)}
              @click=${(event: MouseEvent) =>
                openMenu(event.currentTarget as Element, resource.resource_id, this.#resourceItems(resource, list, base, folder))}
            >
              ${icon('more')}
            </button>
          </li>`,
      )}
    </ul>`;
  }
}
customElements.define('folders-page', FoldersPage);

const pathOf = ({ resource_type, resource_id }: PlacedResource): string => `${resource_type}/${encodeURIComponent(resource_id)}`;
