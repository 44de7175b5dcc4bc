// Long because the header of the class describes every slot, event, part, custom property and state: all else is generated from it.
import { html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { asBlobError } from '../queue/retry-decision.js';
import { part } from '../queue/transport/load-chunk.js';
import type { Chosen, UploadItem, UploadQueue } from '../queue/types.js';
import { inSlices } from '../queue/tasks.js';
import { adoptInput } from './form/adopt-input.js';
import { isStoredFile } from './form/form-value.js';
import type { BlobError } from '../protocol/errors.js';
import type { StoredFile } from '../protocol/types.js';
import { AccentColor } from './accent-color.js';
import { UploaderBase } from './uploader-base.js';
import { emit, emitChange } from './events.js';
import { DropController } from './picking/drop-controller.js';
import { readDataTransfer } from './picking/data-transfer.js';
import { fromFileList } from './picking/picked-file.js';
import type { PickedFile } from './picking/picked-file.js';
import type { ReorderController } from './view/reorder-controller.js';
import { styles } from './styles/index.js';
import { styleProperties } from './view/style-properties.js';
import { renderDropzone } from './view/dropzone.js';
import { displayName } from './view/file-name.js';
import { renderFileArea, hasUploadControls } from './view/file-area.js';
import { describeLimits } from './view/describe-limits.js';
import { renderPickerInput } from './picking/picker-input.js';
import { ListView } from './view/list-view.js';
import { renderMessageLine } from './view/message-line.js';
import type { RowContext } from './view/row.js';
import { renderUploadControls } from './view/summary.js';
import { Clock } from './view/clock.js';
import { FocusKeeper } from './view/focus-keeper.js';

/** What has a click of its own wherever it stands. */
const OF_THE_PAGE = 'a[href], button:not(.pick), input, select, textarea, summary, label';

/**
 * A file input that uploads what is chosen straight to Blob Storage, with a short-lived token instead of a key.
 * In a form it is a control like any other: its value are the paths of the uploaded files.
 *
 * @tag svc-uploader
 *
 * @slot - An `<input type="file">` that serves where there is no JavaScript; the element takes over its attributes.
 * @slot label - The label, with markup.
 * @slot hint - The line that says what may be chosen, with markup.
 *
 * @fires input - The chosen files or the uploaded paths changed.
 * @fires change - The chosen files or the uploaded paths changed.
 * @fires cancel - The file picker was closed without a choice.
 * @fires invalid - A form was to be submitted, or `checkValidity()` called, while something is wrong.
 * @fires svc-file-add - A file is about to be added; `preventDefault()` leaves it out.
 * @fires svc-file-reject - A file was refused before a byte was sent.
 * @fires svc-upload-start - A file's first request begins.
 * @fires svc-upload-progress - More of a file is sent.
 * @fires svc-upload-success - A file is stored.
 * @fires svc-upload-error - A file was given up on.
 * @fires svc-upload-retry - A try failed and another follows by itself.
 * @fires svc-upload-stall - A request stopped moving and is begun anew.
 * @fires svc-complete - Nothing is queued or in flight any more.
 *
 * @csspart label - The label above.
 * @csspart dropzone - Where files are chosen and dropped.
 * @csspart icon - The drawing in it.
 * @csspart file-selector-button - The button that opens the picker.
 * @csspart hint - What may be chosen.
 * @csspart note - Says that a submit waits for the files, what is wrong with the element, or that photos are being made ready.
 * @csspart summary - The row about all files.
 * @csspart summary-button - A button in it: Upload, Pause, Resume, Cancel, Try again, Remove all.
 * @csspart files - The frame around the summary and the list.
 * @csspart list - The list of files.
 * @csspart file - One file's row.
 * @csspart thumbnail - The picture or ending at its start.
 * @csspart name - The file's name.
 * @csspart size - How large it is.
 * @csspart status - How far it is, in words.
 * @csspart error - What is wrong with it, in words.
 * @csspart progress - The line of progress, of a file and of all.
 * @csspart retry-button - Tries a failed file again.
 * @csspart move-button - The grip of a row that may be put elsewhere.
 * @csspart remove-button - Cancels or removes a file.
 *
 * @cssprop [--svc-uploader-accent=blue, mixed with the text colour] - Progress, focus, and the drop zone while files are over it.
 * @cssprop [--svc-uploader-danger=red, mixed with the text colour] - What is wrong.
 * @cssprop [--svc-uploader-success=green, mixed with the text colour] - What is uploaded.
 * @cssprop [--svc-uploader-muted=the text colour at 68%] - Hints, sizes and states.
 * @cssprop [--svc-uploader-border-color=the text colour at 16%] - Hairlines around and between files.
 * @cssprop [--svc-uploader-control-border-color=the text colour at 46%] - Borders of the drop zone and of the button.
 * @cssprop [--svc-uploader-fill=the text colour at 5%] - Grounds of the summary and of thumbnails.
 * @cssprop [--svc-uploader-background=transparent] - Ground of the drop zone.
 * @cssprop [--svc-uploader-button-background=transparent] - Ground of the button that opens the picker.
 * @cssprop [--svc-uploader-button-color=the text colour] - Text of that button.
 * @cssprop [--svc-uploader-radius=8px] - Roundness of the corners.
 * @cssprop [--svc-uploader-row-height=56px] - Height of a file's row; grows with the text.
 * @cssprop [--svc-uploader-list-height=six rows] - Height from which the list scrolls.
 * @cssprop [--svc-uploader-duration=140ms] - How long a change of colour takes; none where reduced motion is wished.
 *
 * @cssstate dragging - Files are dragged over the element.
 * @cssstate uploading - Something is on its way.
 * @cssstate paused - The person paused.
 * @cssstate complete - Everything is uploaded.
 * @cssstate error - A file failed or was refused.
 * @cssstate offline - There is no connection.
 * @cssstate empty - No file is there.
 * @cssstate max-files - As many files as may be are there.
 * @cssstate user-invalid - A form was to be submitted and something was wrong with the element, as it still is (`:user-invalid` of native controls).
 */
export class SvcUploader extends UploaderBase {
  static override styles = styles;

  readonly #accentColor = new AccentColor(this);
  readonly #list = new ListView(this);
  /** Those on their way into the list, the oldest first; ended when the list is cleared. */
  readonly #choices = new Set<AbortController>();
  /** The last choice that has to be made ready first, so that the next one comes after it. */
  #turn: Promise<unknown> = Promise.resolve();
  #reorder: ReorderController | null | undefined;
  /** There was something to say of what may be chosen before anything was. */
  #hadHintWhenEmpty = false;
  /** What the list shows. */
  #listedItems: readonly UploadItem[] = [];

  constructor() {
    super();
    this.addController(new FocusKeeper(this));
    this.addController(new Clock(this));
    this.addController(
      new DropController(this, {
        accepts: () => this.canAddFiles,
        onDragging: (dragging) => (this.dragging = dragging),
        onDrop: (transfer) => {
          const { files, folders } = readDataTransfer(transfer);
          void this.#take(files, folders);
        },
        onPaste: (files) => void this.#take(fromFileList(files)),
      }),
    );
    this.addEventListener('click', this.#labelClicked);
  }

  get #input(): HTMLInputElement | null {
    return this.renderRoot?.querySelector('input') ?? null;
  }

  /** The chosen files, without those that were refused. */
  get files(): readonly File[] {
    return this.uploads.filter(({ state }) => state.status !== 'rejected').flatMap(({ file }) => file ?? []);
  }

  /** Path of the first uploaded file, '' while there is none. Only '' can be set, which removes all files. */
  get value(): string {
    return this.values[0] ?? '';
  }
  set value(value: string) {
    if (value === '') this.clear();
  }

  /** Paths of all uploaded files: what the form sends. */
  get values(): readonly string[] {
    return this.records.map(({ path }) => path);
  }

  /** Opens the file picker. @throws DOMException `NotAllowedError` when no one clicked or pressed a key just before. */
  showPicker(): void {
    if (this.canAddFiles) this.#input?.showPicker();
  }

  /** Adds files as if they had been chosen. Resolves when all of a large number are judged; the first are at once. */
  addFiles(files: Iterable<File>): Promise<void> {
    return this.#take(fromFileList(files));
  }

  /**
   * Puts files into the list that are stored already, such as those of a form that is edited, by their records; what is there is left out.
   * No event is fired. @throws TypeError for what is no record.
   */
  override restore(files: readonly StoredFile[]): void {
    if (!files.every(isStoredFile)) throw new TypeError('restore() takes records of files: id, path, name and size.');
    const known = new Set(this.records.map(({ id }) => id));
    const missing = files.filter(({ id }) => !known.has(id) && known.add(id));
    if (missing.length === 0) return;
    this.ready.restore(missing);
    this.syncValue();
  }

  /** Begins the upload of a `manual` element. */
  upload(): void {
    this.ready.start();
  }

  /** Tries failed files again, and now those that wait for a later try: one, or all of them. */
  retry(id?: string): void {
    this.queue?.retry(id);
  }

  /** Aborts and removes one file, or all that are not uploaded. What is stored stays stored. */
  cancel(id?: string): void {
    if (id === undefined) this.#forget();
    this.#change((queue) => queue.cancel(id));
  }

  /** Stops sending until `resume()`. */
  pause(): void {
    this.queue?.pause();
  }

  /** Goes on after `pause()`. */
  resume(): void {
    this.queue?.resume();
  }

  /** Removes all files, aborting those on their way. */
  clear(): void {
    this.#forget();
    this.#change((queue) => queue.clear());
  }

  /** Puts a file at another place of the list, counted from 0; what lies beyond its ends is the end. */
  move(id: string, to: number): void {
    const item = this.queue?.get(id);
    if (item === undefined) return;
    const last = this.uploads.length - 1;
    const at = Math.max(0, Math.min(Math.trunc(to) || 0, last));
    const isHeld = this.shadowRoot?.activeElement?.getAttribute('part') === 'move-button';
    this.#change((queue) => queue.move(id, at));
    this.announcer.fileMoved(displayName(item), at + 1, last + 1);
    this.requestUpdate();
    if (isHeld) void this.#list.focusRow(at, 'move-button');
  }

  /** @internal Draws before it returns. */
  renderNow(): void {
    this.requestUpdate();
    this.performUpdate();
  }

  adoptedCallback(): void {
    this.#adoptStyles();
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    if (this.ownerDocument === document) return super.createRenderRoot();
    const root = this.shadowRoot ?? this.attachShadow(SvcUploader.shadowRootOptions);
    this.#adoptStyles();
    return root;
  }

  /** Style sheets belong to a document: in another one they are made anew. */
  #adoptStyles(): void {
    const { defaultView } = this.ownerDocument;
    if (!defaultView || !this.shadowRoot) return;
    this.shadowRoot.adoptedStyleSheets = [...styles, ...(this.#reorder?.styles ?? [])].map(({ cssText }) => {
      const sheet = new defaultView.CSSStyleSheet();
      sheet.replaceSync(cssText);
      return sheet;
    });
  }

  protected override firstUpdated(changed: PropertyValues<this>): void {
    super.firstUpdated(changed);
    // The browser looks when there is no button yet.
    const { activeElement, body } = this.ownerDocument;
    if (this.hasAttribute('autofocus') && activeElement === body) this.focus();
    // When it is needed the line may be gone, or the site deployed anew.
    if (this.settings.imageOptions) globalThis.requestIdleCallback?.(() => import('./picking/collect-files.js').catch(() => {}));
  }

  protected override render(): TemplateResult {
    const { localizer } = this;
    const items = this.queue?.items ?? [];
    const { appearance } = this.settings;
    // A single file stands in the line itself; beside it there is at most what was refused.
    const isLine = appearance === 'inline' && !this.acceptsMultiple && !this.readOnly;
    const single = isLine ? (items.find(({ state }) => state.status !== 'rejected') ?? items[0]) : undefined;
    const listed = (this.#listedItems = single === undefined ? items : items.filter((item) => item !== single));
    const row = {
      localizer,
      now: Date.now(),
      isWithoutSummary: isLine || items.length === 1,
      readOnly: this.readOnly || this.isDisabled,
      renderMoveButton: this.#gripOf(items),
      onRetry: (id: string) => this.retry(id),
      onRemove: (id: string) => this.#remove(id),
    };
    const hint = this.hint || describeLimits(this.limits, localizer);
    if (items.length === 0) this.#hadHintWhenEmpty = hint !== '';
    const wrong = this.reportedProblem;
    const problem = this.isSubmitCanceled ? localizer.text('submitCanceled') : wrong;
    const note = this.isSubmitPending
      ? localizer.text('submitPending')
      : problem || (this.preparingCount > 0 ? localizer.text('preparing') : '');
    return html`<div
      class="root ${this.dragging ? 'dragging' : ''}"
      lang=${localizer.locale}
      dir=${localizer.direction}
      @slotchange=${() => this.requestUpdate()}
      ${styleProperties({ '--_page-accent': this.#accentColor.value })}
    >
      <div part="label" class="label" ?hidden=${this.label === '' && this.slotted('label') === null} @click=${this.#pick}>
        <slot name="label">${this.label}</slot>
      </div>
      ${
        this.readOnly && items.length > 0
          ? nothing
          : renderDropzone({
              localizer,
              appearance,
              dragging: this.dragging,
              disabled: row.readOnly,
              isFull: this.isFull,
              multiple: this.acceptsMultiple,
              folder: this.webkitdirectory,
              name: this.accessibleName,
              hint,
              isLateHint: !this.#hadHintWhenEmpty && this.hint === '',
              hasHintSlot: this.slotted('hint') !== null,
              singleFile: single,
              count: this.totals.files,
              row,
              uploadControls:
                single && !row.readOnly && hasUploadControls(this.ready, this.manual)
                  ? renderUploadControls(localizer, this.ready, this.manual)
                  : nothing,
              onPick: this.#pick,
            })
      }
      ${renderPickerInput(this, this.limits, this.acceptsMultiple, this.#picked)}
      ${
        listed.length === 0
          ? nothing
          : renderFileArea({
              localizer,
              queue: this.ready,
              items: listed,
              list: this.#list,
              manual: this.manual,
              row,
              onCancel: () => this.cancel(),
              onClear: () => this.clear(),
            })
      }
      ${renderMessageLine(note, note !== '' && note === problem, this.submitWaits && items.length > 0 ? localizer.text('submitPending') : '')}
      <div class="hidden" role="status">${this.announcement}</div>
      <slot hidden @slotchange=${this.#adopt}></slot>
    </div>`;
  }

  /** What rows are moved by; loaded when there are rows to move. */
  #gripOf(items: readonly UploadItem[]): RowContext['renderMoveButton'] {
    if (!this.reorderable || !this.acceptsMultiple || items.length < 2 || this.readOnly || this.isDisabled) return null;
    if (this.#reorder === undefined) {
      this.#reorder = null;
      // Where it does not load, the order stays as it is until more is chosen.
      void part('ReorderController', () => import('./view/reorder-controller.js')).then(
        (Reorder) => {
          this.#reorder = new Reorder(this);
          this.#adoptStyles();
          this.requestUpdate();
        },
        () => {},
      );
    }
    const reorder = this.#reorder;
    return reorder && ((item, tabbable) => reorder.renderMoveButton(item, tabbable));
  }

  /** All of one choice: the files, and those in the folders beside them. */
  async #take(chosen: readonly PickedFile[], folders: readonly FileSystemEntry[] = []): Promise<void> {
    if (chosen.length + folders.length === 0) return;
    const queue = this.ready;
    const { imageOptions } = this.settings;
    const choice = new AbortController();
    this.#choices.add(choice);
    this.forgetCanceledSubmit();
    // A new choice takes away what was refused the last time, and asks again for what did not load.
    queue.dismiss();
    this.#reorder ??= undefined;
    try {
      if (imageOptions === null && folders.length === 0) await this.#add(queue, chosen, choice);
      else await this.#prepare(queue, chosen, folders, choice);
    } finally {
      this.#choices.delete(choice);
    }
  }

  /** Of many files one choice comes after the other, however long each takes. A single one is whatever was chosen last. */
  async #prepare(
    queue: UploadQueue,
    chosen: readonly PickedFile[],
    folders: readonly FileSystemEntry[],
    choice: AbortController,
  ): Promise<void> {
    this.preparingCount += 1;
    this.updateStatus();
    const before = this.acceptsMultiple ? this.#turn : undefined;
    const { imageOptions } = this.settings;
    // A folder has no type that could be the right one.
    const withEmpty = this.allowEmpty && !this.accept && !this.allowedExtensions && this.transport?.folders;
    const turn = part('collectFiles', () => import('./picking/collect-files.js'))
      .then((gather) => gather(chosen, folders, imageOptions, choice.signal, withEmpty))
      .catch((cause: unknown) => this.#unready(chosen, folders, asBlobError(cause)))
      .then(async (all) => {
        await before;
        await this.#add(queue, all, choice);
      });
    this.#turn = turn.catch(() => {});
    await turn.finally(() => {
      this.preparingCount -= 1;
      this.uploadsFinished();
    });
  }

  /** Rows that say so, one a file and one a folder: what was to be made ready is not let through as it is, nor lost. */
  #unready(chosen: readonly PickedFile[], folders: readonly FileSystemEntry[], unready: BlobError): Chosen[] {
    const rows = folders.map((folder) => ({ file: new File([], folder.name), relativePath: '', folder }));
    return [...chosen, ...rows].map((one) => ({ ...one, unready }));
  }

  protected override retryPreparation(chosen: readonly Chosen[]): void {
    const files = chosen.flatMap(({ file, relativePath, folder }) => (folder ? [] : { file, relativePath }));
    void this.#take(
      files,
      chosen.flatMap(({ folder }) => folder ?? []),
    );
  }

  async #add(queue: UploadQueue, picked: readonly Chosen[], choice: AbortController): Promise<void> {
    if (picked.length === 0 || choice.signal.aborted) return;
    // What is taken replaces a single file, as in a native input; until then the earlier choices hold.
    let replaces = !this.acceptsMultiple;
    let taken = 0;
    const take = (some: readonly Chosen[]) => {
      const wanted = some.filter(
        ({ file, relativePath, unready }) => unready || emit(this, 'svc-file-add', { file, relativePath }),
      );
      taken += some.length;
      const added = queue.add(wanted, replaces);
      if (!replaces || !added.some(({ state }) => state.status === 'queued')) return;
      replaces = false;
      this.#forget(choice);
      this.syncValue();
    };
    this.pendingChoices.add(choice);
    // The first files are taken before this returns.
    const all = inSlices(picked, take, choice.signal);
    if (taken === picked.length) this.pendingChoices.delete(choice);
    else this.updateStatus();
    await all;
    if (this.pendingChoices.delete(choice)) this.uploadsFinished();
    if (this.isSubmitPending) queue.start();
    emitChange(this);
  }

  /** What is on its way into the list does not come any more, or what was chosen before does not. */
  #forget(since?: AbortController): void {
    for (const choice of this.#choices) {
      if (choice === since) return;
      choice.abort();
      this.pendingChoices.delete(choice);
    }
  }

  protected override reset(): void {
    this.#forget();
    super.reset();
  }

  readonly #pick = (event: Event): void => {
    const path = event.composedPath();
    const within = path.slice(0, path.indexOf(event.currentTarget!)) as Element[];
    // A link in a slot is the page's.
    if (!this.canAddFiles || within.some((one) => one.matches?.(OF_THE_PAGE))) return;
    this.#input?.click();
    // In Firefox a label around the element would click it once more.
    event.preventDefault();
  };

  readonly #adopt = (event: Event): void => {
    const input = (event.target as HTMLSlotElement)
      .assignedElements()
      .flatMap((one) => [one, ...one.querySelectorAll('*')])
      .find((one) => one instanceof HTMLInputElement && one.type === 'file' && !one.hidden);
    if (input) void this.addFiles(adoptInput(this, input as HTMLInputElement));
  };

  readonly #picked = (): void => {
    const input = this.#input;
    if (!input?.files) return;
    void this.#take(fromFileList(input.files));
    // So that the same file can be chosen again.
    input.value = '';
  };

  /** A `<label>` of the page was clicked, or `click()` called: both reach the element itself. */
  readonly #labelClicked = (event: Event): void => {
    if (event.composedPath()[0] === this && this.canAddFiles) this.#input?.click();
  };

  #remove(id: string): void {
    const item = this.queue?.get(id);
    if (item === undefined) return;
    const index = this.#listedItems.indexOf(item);
    this.announcer.fileRemoved(displayName(item));
    this.cancel(id);
    void this.#focusNear(index);
  }

  /** After a removal the focus goes to the next row, else to the button that picks. */
  async #focusNear(index: number): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    const last = this.#listedItems.length - 1;
    if (Math.min(index, last) < 0) this.pickButton?.focus();
    else await this.#list.focusRow(Math.min(index, last));
  }

  #change(act: (queue: UploadQueue) => void): void {
    if (this.queue === undefined || this.queue.size === 0) return;
    act(this.queue);
    this.syncValue();
    emitChange(this);
    this.uploadsFinished();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'svc-uploader': SvcUploader;
  }
}
