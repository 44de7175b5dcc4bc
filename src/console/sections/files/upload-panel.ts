import { LitElement, css, html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { state } from 'lit/decorators.js';
import type { SvcUploader, SvcUploaderEvents, UploadItem } from '../../../element/index.js';
import '../../../element/index.js';
import type { Api } from '../../api/api.js';
import { ApiError } from '../../api/api-error.js';
import { errorLine } from '../../components/describe-error.js';
import { icon } from '../../components/icon.js';
import { confirmDialog } from '../../components/open-dialog.js';
import { base } from '../../styles/base.js';
import { texts } from '../../texts/texts.js';
import { filesTexts } from './texts/texts.js';
import { resolveConflicts } from './name-conflicts.js';
import type { NameConflict } from './name-conflicts.js';
import { createToken, isSignedOut, restorePath } from './uploads.js';

/** Uploads into one folder of one storage. */
interface Target {
  key: string;
  storage: Api;
  prefix: string;
}

/** States of uploads that nothing changes any more. */
const ENDED: readonly UploadItem['state']['status'][] = ['done', 'failed', 'rejected'];
/** Requests that restore paths at the same time. */
const PARALLEL = 4;

/**
 * The panel with one `<svc-uploader>` for each folder that receives files. It belongs to the page and not to the section, so uploads continue
 * while the person looks at other folders and sections. While files are dragged over the window, the uploader of the shown folder covers it.
 */
export class UploadPanel extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        position: fixed;
        inset-block-end: 1rem;
        inset-inline-end: 1rem;
        z-index: 3;
        inline-size: min(26rem, calc(100vw - 2rem));
        max-block-size: min(34rem, calc(100dvh - 2rem));
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: 0.75rem;
        background: var(--raised);
        box-shadow: var(--shadow);
      }
      .head {
        display: flex;
        align-items: center;
        justify-content: space-between;
        padding: 0.5rem 0.5rem 0 1rem;
      }
      .target {
        display: grid;
        gap: 0.5rem;
        padding: 0.5rem 1rem 1rem;
      }
      .target p {
        color: var(--muted);
      }
      .dragging {
        position: fixed;
        inset: 0.75rem;
        z-index: 4;
        align-content: center;
        border: 2px dashed var(--accent);
        border-radius: 0.75rem;
        background: var(--accent-soft);
        font-size: 1rem;
        text-align: center;
      }
      .dragging svc-uploader {
        position: absolute;
        inset: 0;
        opacity: 0;
      }
    `,
  ];

  @state() private targets: Target[] = [];
  @state() private dragged: string | undefined;
  @state() private isFolderPicker = false;
  /** The element's text says to ask the owner of the site, who is the reader here. */
  readonly #errorTexts = { STORAGE_FULL: errorLine(new ApiError('STORAGE_FULL', '', 507)) };
  /** Paths of files in dropped folders. The event of a stored file does not have them. */
  readonly #relativePaths = new WeakMap<File, string>();
  /** Paths of files in folders that the section has read. The uploader does not know them. */
  readonly #droppedPaths = new WeakMap<File, string>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #conflicts: NameConflict[] = [];

  override connectedCallback(): void {
    super.connectedCallback();
    // Files that were stored while the session had ended still have random names.
    addEventListener('session-continued', () => void this.#restore());
  }

  /** Opens the panel for a folder. */
  #open(storage: Api, prefix: string): string {
    const key = `${storage.workspaceId ?? ''}/${prefix}`;
    if (!this.targets.some((target) => target.key === key)) this.targets = [...this.targets, { key, storage, prefix }];
    this.hidden = false;
    return key;
  }

  /** Opens the picker for files, or for a folder. */
  async pick(storage: Api, prefix: string, kind: 'files' | 'folder'): Promise<void> {
    this.isFolderPicker = kind === 'folder';
    const key = this.#open(storage, prefix);
    const uploader = await this.#uploader(key);
    uploader.showPicker();
  }

  /** Uploads files that were dropped beside the panel. */
  async add({ storage, prefix }: { storage: Api; prefix: string }, files: readonly File[]): Promise<void> {
    const uploader = await this.#uploader(this.#open(storage, prefix));
    await uploader.addFiles(files);
  }

  /** Uploads files of folders that were dropped beside the panel. */
  async addWithPaths(target: { storage: Api; prefix: string }, files: readonly { file: File; path: string }[]): Promise<void> {
    for (const { file, path } of files) this.#droppedPaths.set(file, path);
    await this.add(
      target,
      files.map(({ file }) => file),
    );
  }

  /** Covers the window with the uploader of a folder, or ends that. */
  drag(target: { storage: Api; prefix: string } | undefined): void {
    this.dragged = target && this.#open(target.storage, target.prefix);
    if (!target) this.#closeIfEmpty();
  }

  async #uploader(key: string): Promise<SvcUploader> {
    await this.updateComplete;
    const uploader = [...this.renderRoot.querySelectorAll('svc-uploader')].find((element) => element.dataset['key'] === key)!;
    await (uploader as unknown as LitElement).updateComplete;
    return uploader as SvcUploader;
  }

  get #uploads(): UploadItem[] {
    return ([...this.renderRoot.querySelectorAll('svc-uploader')] as SvcUploader[]).flatMap(({ uploads }) => uploads);
  }

  get #isUploading(): boolean {
    return this.#uploads.some(({ state: { status } }) => !ENDED.includes(status));
  }

  #closeIfEmpty(): void {
    if (this.#uploads.length === 0) this.hidden = true;
  }

  #close = async (): Promise<void> => {
    const { heading, text, confirm } = filesTexts.upload.ending;
    if (this.#isUploading && !(await confirmDialog({ heading, text, confirm, isDangerous: true }))) return;
    for (const uploader of this.renderRoot.querySelectorAll('svc-uploader')) (uploader as SvcUploader).clear();
    this.targets = [];
    this.hidden = true;
  };

  #stored({ storage, prefix }: Target, { detail }: SvcUploaderEvents['svc-upload-success']): void {
    const { file, record } = detail;
    if (!file) return;
    const relativePath = this.#droppedPaths.get(file) ?? this.#relativePaths.get(file) ?? file.webkitRelativePath;
    this.#waiting.push(async () => {
      const path = await restorePath(storage, prefix, record, file, relativePath);
      if (path !== undefined) this.#conflicts.push({ storage, id: record.id, path });
    });
    void this.#restore();
  }

  async #restore(): Promise<void> {
    if (this.#running >= PARALLEL) return;
    this.#running++;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      try {
        await next();
      } catch (error) {
        if (!isSignedOut(error)) continue;
        this.#waiting.unshift(next);
        break;
      }
    this.#running--;
    if (this.#running > 0) return;
    dispatchEvent(new Event('files-changed'));
    this.#askAboutConflicts();
  }

  /** Asks once for all files, after the last one. */
  #askAboutConflicts = (): void => {
    if (this.#conflicts.length === 0 || this.#running > 0 || this.#isUploading) return;
    void resolveConflicts(this.#conflicts.splice(0));
  };

  #onComplete = ({ detail }: SvcUploaderEvents['svc-complete']): void => {
    const isFull = detail.failed.some(({ state }) => state.status === 'failed' && state.error.code === 'STORAGE_FULL');
    // The section reads the use of the storage again.
    if (isFull) dispatchEvent(new Event('files-changed'));
    this.#askAboutConflicts();
  };

  override render() {
    return html`<div class="head">
        <h2>${filesTexts.upload.title}</h2>
        <button class="plain icon" aria-label=${texts.close} @click=${this.#close}>${icon('close')}</button>
      </div>
      ${repeat(
        this.targets,
        ({ key }) => key,
        (target) =>
          html`<div class="target ${this.dragged === target.key ? 'dragging' : ''}">
            <p>${filesTexts.upload.into(target.prefix === '' ? filesTexts.root : target.prefix)}</p>
            <svc-uploader
              multiple
              allow-empty
              data-key=${target.key}
              aria-label=${filesTexts.upload.title}
              .webkitdirectory=${this.isFolderPicker}
              .endpoint=${location.origin}
              .errorTexts=${this.#errorTexts}
              .tokenProvider=${({ files, signal }: { files: readonly unknown[]; signal: AbortSignal }) =>
                createToken(target.storage, target.prefix, files.length, signal)}
              @svc-file-add=${({ detail }: SvcUploaderEvents['svc-file-add']) =>
                this.#relativePaths.set(detail.file, detail.relativePath)}
              @svc-complete=${this.#onComplete}
              @svc-upload-success=${(event: SvcUploaderEvents['svc-upload-success']) => this.#stored(target, event)}
            ></svc-uploader>
          </div>`,
      )}`;
  }
}
customElements.define('upload-panel', UploadPanel);

let panel: UploadPanel | undefined;

/** Returns the panel of the page. */
export function uploadPanel(): UploadPanel {
  if (!panel) {
    panel = new UploadPanel();
    panel.hidden = true;
    panel.role = 'region';
    panel.ariaLabel = filesTexts.upload.title;
    document.body.append(panel);
  }
  return panel;
}
