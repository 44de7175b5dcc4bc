import { html, nothing } from 'lit';
import type { Api } from '../../api/api.js';
import { errorLine } from '../../components/describe-error.js';
import { icon } from '../../components/icon.js';
import { openDialog } from '../../components/open-dialog.js';
import type { OpenDialog } from '../../components/open-dialog.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';

interface FoldersPage {
  prefixes: string[];
  cursor: string | null;
}

/** A walk through the folders of a storage, for the choice of a target. */
class FolderWalk {
  folders: string[] = [];
  cursor: string | null = null;
  isLoading = true;
  problem = '';
  #stop = new AbortController();

  constructor(
    private readonly storage: Api,
    public prefix: string,
    private readonly changed: () => void,
  ) {
    void this.open(prefix);
  }

  stop(): void {
    this.#stop.abort();
  }

  async open(prefix: string): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    Object.assign(this, { prefix, folders: [], cursor: null });
    await this.more();
  }

  async more(): Promise<void> {
    const { signal } = this.#stop;
    this.isLoading = true;
    this.changed();
    try {
      const page = await this.storage.get<FoldersPage>('/v1/files', {
        query: {
          prefix: this.prefix || undefined,
          delimiter: '/',
          only: 'folders',
          limit: 500,
          cursor: this.cursor ?? undefined,
        },
        signal,
      });
      this.folders = [...this.folders, ...page.prefixes];
      this.cursor = page.cursor;
      this.problem = '';
    } catch (error) {
      if (signal.aborted) return;
      this.problem = errorLine(error);
    }
    this.isLoading = false;
    this.changed();
  }
}

/** A folder that receives files. */
export interface TargetFolder {
  /** `''` for the root. */
  prefix: string;
  /** Whether files in it are replaced by files of the same name. */
  overwrite: boolean;
}

/** Asks for a folder. @returns undefined if the person closed the dialog */
export async function chooseFolder(
  storage: Api,
  heading: string,
  submit: string,
  start: string,
): Promise<TargetFolder | undefined> {
  let dialog: OpenDialog | undefined;
  const walk = new FolderWalk(storage, start, () => dialog?.update());
  let overwrite = false;
  const chosen = await openDialog<TargetFolder>(heading, (opened) => {
    dialog = opened;
    const parent = walk.prefix.slice(0, walk.prefix.lastIndexOf('/', walk.prefix.length - 2) + 1);
    const row = (prefix: string, label: string) =>
      html`<button class="plain row" @click=${() => void walk.open(prefix)}>${icon('folder')}<bdi>${label}</bdi></button>`;
    return html`<p>
        ${filesTexts.target.into}: <strong><bdi>${walk.prefix === '' ? filesTexts.root : walk.prefix}</bdi></strong>
      </p>
      <div class="rows" role="group" aria-label=${filesTexts.target.folders}>
        ${walk.prefix === '' ? nothing : row(parent, filesTexts.target.parent)}
        ${walk.folders.map((prefix) => row(prefix, prefix.slice(walk.prefix.length, -1)))}
        ${walk.isLoading ? html`<p class="muted">${texts.loading}</p>` : nothing}
        ${!walk.isLoading && walk.folders.length === 0 ? html`<p class="muted">${filesTexts.target.none}</p>` : nothing}
        ${walk.problem === '' ? nothing : html`<p class="error" role="alert">${walk.problem}</p>`}
        ${walk.cursor === null ? nothing : html`<button @click=${() => void walk.more()}>${filesTexts.target.more}</button>`}
      </div>
      <div class="field">
        <label for="existing">${filesTexts.target.existing}</label>
        <select id="existing" @change=${(event: Event) => (overwrite = (event.target as HTMLSelectElement).value === 'replace')}>
          <option value="skip">${filesTexts.target.skip}</option>
          <option value="replace">${filesTexts.target.replace}</option>
        </select>
      </div>
      <button slot="actions" @click=${() => opened.close()}>${texts.cancel}</button>
      <button slot="actions" class="primary" @click=${() => opened.close({ prefix: walk.prefix, overwrite })}>${submit}</button>`;
  });
  walk.stop();
  return chosen;
}
