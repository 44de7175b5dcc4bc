import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { loadChunk } from '../../queue/load-chunk.js';
import { QueueItem } from '../../queue/queue-item.js';
import { listInterrupted } from '../../queue/transport/interrupted-uploads.js';
import type { InterruptedUpload } from '../../queue/transport/interrupted-uploads.js';
import { deleteResumeKey, readResumeKey } from '../../queue/transport/resume-keys.js';
import type { QueueOptions, UploadItem } from '../../queue/types.js';
import type { LazyAnnouncer } from '../lazy-announcer.js';
import { addFileTexts } from '../locales/add-file-texts.js';
import type { Localizer } from '../locales/localizer.js';
import { resumeScopeOf } from '../resume-scope.js';
import { fileStyles } from '../styles/file-styles.js';
import { interruptedStyles } from '../styles/interrupted.js';
import { displayName } from './display-name.js';
import { renderFileIcon } from './file-icon.js';
import { renderFileName } from './file-name.js';

/** The part of the element that the list uses. */
export interface InterruptedListHost extends HTMLElement {
  readonly localizer: Localizer;
  readonly announcer: LazyAnnouncer;
  readonly name: string;
  readonly endpoint: string;
  readonly tokenEndpoint: string;
  readonly queueOptions: QueueOptions;
  requestUpdate(): void;
  readonly updateComplete: Promise<boolean>;
}

interface Entry {
  /** Name of the upload's entry in storage. */
  name: string;
  upload: InterruptedUpload;
  /** The file as rows show it. */
  item: QueueItem;
}

/** Lists the uploads that an earlier visit of the page began. Pages load this module only if there may be some. */
export class InterruptedList {
  /** The element adds these styles to its own. */
  readonly styles = [...fileStyles, interruptedStyles];
  #entries: Entry[] = [];
  #scope: string | undefined;

  constructor(private readonly host: InterruptedListHost) {
    addFileTexts();
  }

  /** @param items files of the list; a file that is chosen again is only there */
  render(items: readonly UploadItem[]): TemplateResult | typeof nothing {
    this.#read();
    this.#removeChosen(items);
    if (this.#entries.length === 0) return nothing;
    return html`<ul part="interrupted" class="files interrupted" role="list" aria-label=${this.host.localizer.text('failedFile')}>
      ${this.#entries.map((entry) => this.#renderEntry(entry))}
    </ul>`;
  }

  /** Reads the list once for each field. Later entries are those of this visit. */
  #read(): void {
    const resumeScope = resumeScopeOf(this.host);
    if (resumeScope === this.#scope) return;
    this.#scope = resumeScope;
    // Without a key, another tab has finished the upload, or the service has forgotten it.
    const listed = listInterrupted(resumeScope).filter(([name]) => readResumeKey(name) !== undefined);
    this.#entries = listed.map(([name, upload]) => {
      const item = new QueueItem(name, null, upload.name, upload.size, upload.type, upload.relativePath);
      return { name, upload, item };
    });
  }

  #removeChosen(items: readonly UploadItem[]): void {
    if (this.#entries.length === 0) return;
    const chosen = new Set<string>();
    for (const item of items) if (item.state.status !== 'rejected') chosen.add((item as QueueItem).identity);
    this.#entries = this.#entries.filter(({ upload }) => !chosen.has(upload.identity));
  }

  #renderEntry(entry: Entry): TemplateResult {
    const { localizer } = this.host;
    const { item, upload } = entry;
    const percent = localizer.percent(Math.min(1, upload.sent / upload.size));
    return html`<li part="interrupted-file" class="row">
      ${renderFileIcon(item)}
      <div class="words">
        ${renderFileName(item)}
        <span class="status"><span class="state">${localizer.text('chooseAgain', { percent })}</span></span>
      </div>
      <div class="actions">
        <button
          part="dismiss-button"
          class="plain dismiss"
          type="button"
          aria-label="${localizer.text('dismiss')}: ${displayName(item)}"
          @click=${() => void this.#dismiss(entry)}
        >
          ${localizer.text('dismiss')}
        </button>
      </div>
      <progress part="progress" max="1" .value=${upload.sent / upload.size} aria-label=${displayName(item)}></progress>
    </li>`;
  }

  async #dismiss(entry: Entry): Promise<void> {
    const { host } = this;
    const index = this.#entries.indexOf(entry);
    this.#entries = this.#entries.filter((other) => other !== entry);
    host.announcer.announce((announcer) => announcer.fileRemoved(displayName(entry.item), 'fileRemoved'));
    void this.#end(entry);
    host.requestUpdate();
    await host.updateComplete;
    const buttons = host.shadowRoot!.querySelectorAll<HTMLElement>('.interrupted button');
    (buttons[Math.min(index, buttons.length - 1)] ?? host).focus();
  }

  async #end({ name, upload }: Entry): Promise<void> {
    try {
      const dismissInterrupted = await loadChunk('dismissInterrupted', () => import('../../queue/dismiss-interrupted.js'));
      await dismissInterrupted(name, upload, this.host.queueOptions);
    } catch {
      // The code did not load. The service deletes the upload when it expires.
      deleteResumeKey(name);
    }
  }
}
