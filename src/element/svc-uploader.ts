// Long because the header of the class describes every slot, event, part, custom property and state. Reference and types are generated from it.
import type { PropertyValues } from 'lit';
import type { Chosen, UploadQueue } from '../queue/types.js';
import type { StoredFile } from '../protocol/types.js';
import { emitChange } from './events.js';
import { adoptInput } from './form/adopt-input.js';
import { isStoredFile } from './form/form-value.js';
import { loadChunk } from '../queue/load-chunk.js';
import { readDataTransfer } from './picking/data-transfer.js';
import { DropController } from './picking/drop-controller.js';
import type { DropOptions } from './picking/drop-controller.js';
import { FileIntake } from './picking/file-intake.js';
import { fromFileList } from './picking/picked-file.js';
import type { PickedFile } from './picking/picked-file.js';
import { UploaderView } from './uploader-view.js';
import { displayName } from './view/display-name.js';
import { LazyPart } from './view/lazy-part.js';

const loadPageTargets = () => loadChunk('PageTargets', () => import('./picking/page-targets.js'));

/** Elements of the page that handle clicks themselves, in a slot of the element. */
const INTERACTIVE = 'a[href], button:not(.pick), input, select, textarea, summary, label';

/**
 * A file input that uploads the chosen files straight to Blob Storage, with a short-lived token instead of a key.
 * In a form it is a control like any other. Its value is the paths of the stored files.
 *
 * @see docs/reference/element.md
 * @see https://html.spec.whatwg.org/multipage/input.html#file-upload-state-(type=file)
 * @tag svc-uploader
 *
 * @slot - An `<input type="file">` for pages without JavaScript. The element takes over its attributes.
 * @slot label - The label, with markup.
 * @slot hint - The text that says which files are accepted, with markup.
 *
 * @fires input - The chosen files or the stored paths changed.
 * @fires change - The chosen files or the stored paths changed.
 * @fires cancel - The file picker was closed without a choice.
 * @fires invalid - A submit, or `checkValidity()`, found the element invalid.
 * @fires svc-file-add - A file is about to be added. `preventDefault()` skips it.
 * @fires svc-file-reject - A file was refused before a byte was sent.
 * @fires svc-upload-start - The first request for a file begins.
 * @fires svc-upload-progress - More bytes of a file are sent.
 * @fires svc-upload-success - A file is stored.
 * @fires svc-upload-error - The upload of a file failed, and is not retried automatically.
 * @fires svc-upload-retry - An attempt failed, and another one follows automatically.
 * @fires svc-upload-stall - A request made no progress and is sent again.
 * @fires svc-complete - No file is queued or being sent any more.
 *
 * @csspart label - The label above the element.
 * @csspart dropzone - The area where files are chosen and dropped.
 * @csspart icon - The icon in the drop zone.
 * @csspart file-selector-button - The button that opens the picker.
 * @csspart source-menu - The menu of the sources.
 * @csspart source - An entry of the menu of the sources.
 * @csspart source-dialog - The dialog of a camera, a recording or a link.
 * @csspart source-bar - The bar that replaces the dialog while the screen is recorded.
 * @csspart source-button - A button in the dialog of a source.
 * @csspart source-field - The field for a link.
 * @csspart hint - The text that says which files are accepted.
 * @csspart note - The message below the element: a submit waits for the files, the element is invalid, or images are being prepared.
 * @csspart summary - The row about all files.
 * @csspart summary-button - A button in the summary: Upload, Pause, Resume, Cancel, Try again, Dismiss, Remove, Remove all.
 * @csspart files - The frame around the summary and the list.
 * @csspart interrupted - The list of uploads that a reload interrupted.
 * @csspart interrupted-file - The row of an interrupted upload.
 * @csspart list - The list of files.
 * @csspart file - The row or tile of a file.
 * @csspart thumbnail - The thumbnail, or the extension, of a file.
 * @csspart lightbox - The dialog that shows a picture large.
 * @csspart name - The name of a file.
 * @csspart size - The size of a file.
 * @csspart status - The state of a file, as text.
 * @csspart error - The error of a file, as text.
 * @csspart fields - The fields of a file.
 * @csspart field - A field with its label and its error.
 * @csspart field-label - The label of a field.
 * @csspart field-input - The control of a field: a text field or a list.
 * @csspart field-error - The error of a field, as text.
 * @csspart progress - The progress bar of a file, or of all files.
 * @csspart retry-button - The button that retries a failed file.
 * @csspart edit-button - The button that opens the editor of a picture.
 * @csspart editor - The dialog of the editor.
 * @csspart editor-stage - The canvas of the editor, which shows the picture and the crop area.
 * @csspart move-button - The button that moves a row.
 * @csspart dismiss-button - The button that takes a refused file, or an interrupted upload, off the list.
 * @csspart remove-button - The button that cancels or removes a file.
 *
 * @cssprop [--svc-uploader-accent=the accent-color of the page, else blue] - Color of progress, focus, and the drop zone while files are dragged over it.
 * @cssprop [--svc-uploader-danger=red, as far as it is readable on the page] - Color of errors.
 * @cssprop [--svc-uploader-success=green, as far as it is visible on the page] - Color of stored files.
 * @cssprop [--svc-uploader-muted=the text colour at 68%, or more for a contrast of 4.5] - Color of hints, sizes and states.
 * @cssprop [--svc-uploader-border-color=the text colour at 16%] - Color of the lines around and between files.
 * @cssprop [--svc-uploader-control-border-color=the text colour at 46%, or more for a contrast of 3] - Color of the borders of drop zone and button.
 * @cssprop [--svc-uploader-fill=the text colour at 5%] - Background of the summary and of thumbnails.
 * @cssprop [--svc-uploader-background=transparent] - Background of the drop zone.
 * @cssprop [--svc-uploader-button-background=transparent] - Background of the button that opens the picker.
 * @cssprop [--svc-uploader-button-color=the text colour] - Text color of the button that opens the picker.
 * @cssprop [--svc-uploader-radius=8px] - Radius of the corners.
 * @cssprop [--svc-uploader-row-height=56px] - Height of a row. Grows with the text.
 * @cssprop [--svc-uploader-list-height=six rows, or 528px in a grid] - Height from which the list scrolls.
 * @cssprop [--svc-uploader-avatar-size=96px] - Side of an avatar.
 * @cssprop [--svc-uploader-duration=140ms] - Duration of color changes. 0 if the person prefers reduced motion.
 *
 * @cssstate dragging - Files are dragged over the element.
 * @cssstate uploading - At least one file is being sent.
 * @cssstate paused - The upload is paused.
 * @cssstate complete - All files are stored.
 * @cssstate error - A file failed or was refused.
 * @cssstate offline - The browser is offline.
 * @cssstate empty - The list contains no file.
 * @cssstate max-files - The list contains the largest number of files.
 * @cssstate user-invalid - The person was told that the element is invalid, and it still is. Corresponds to `:user-invalid` of native controls.
 */
export class SvcUploader extends UploaderView {
  readonly #intake = new FileIntake({
    element: this,
    queue: () => this.configuredQueue(),
    acceptsMultiple: () => this.acceptsMultiple,
    imageOptions: () => this.settings.imageOptions,
    // A folder has no type or extension, so it cannot match a list of accepted ones.
    acceptsEmptyFolders: () => this.allowEmpty && !this.accept && !this.allowedExtensions && (this.transport?.folders ?? false),
    isSubmitPending: () => this.isSubmitPending,
    onChoice: () => {
      // Loads all of it at once, where each part would otherwise load when it is needed.
      if (navigator.onLine) this.preload();
      this.forgetCanceledSubmit();
      this.forgetFailedParts();
    },
    onBusyChange: () => {
      this.updateStatus();
      this.requestUpdate();
    },
    onIdle: () => {
      this.uploadsFinished();
      this.requestUpdate();
    },
    onReplace: () => this.syncValue(),
  });

  /** The places with dragged files: the element, or its `drop-target`. */
  readonly #draggedOver = new Set<string>();
  readonly #pageTargets = new LazyPart(
    async () => {
      const targets = new (await loadPageTargets())(this, this.#dropOptions('target'));
      this.addController(targets);
      return targets;
    },
    () => this.requestUpdate(),
  );

  constructor() {
    super();
    this.addController(new DropController(this, this.#dropOptions('element')));
    this.addEventListener('click', this.#onHostClick);
  }

  /** The chosen files, without refused ones. */
  get files(): readonly File[] {
    return this.uploads.filter(({ state }) => state.status !== 'rejected').flatMap(({ file }) => file ?? []);
  }

  /** Path of the first stored file; '' if there is none. Only '' can be set, which removes all files. */
  get value(): string {
    return this.values[0] ?? '';
  }
  set value(value: string) {
    if (value === '') this.clear();
  }

  /** Paths of all stored files, which the form sends. */
  get values(): readonly string[] {
    return this.records.map(({ path }) => path);
  }

  /**
   * Opens the file picker.
   *
   * @throws DOMException `NotAllowedError` without a click or key press just before
   */
  showPicker(): void {
    this.preload();
    if (this.canAddFiles) this.pickerInput?.showPicker();
  }

  /** Adds files as if the person had chosen them. Resolves when all are validated. The first ones are validated at once. */
  override addFiles(files: Iterable<File>): Promise<void> {
    return this.#intake.take(fromFileList(files));
  }

  /** @internal */
  override addLink(link: PickedFile): Promise<void> {
    return this.#intake.take([link]);
  }

  /**
   * Adds files to the list that are stored already, such as those of a form that is edited. Skips files that are in the list. Fires no
   * event.
   *
   * @param files records of the stored files
   * @throws TypeError for a value that is not a record
   */
  override restore(files: readonly StoredFile[]): void {
    if (!files.every(isStoredFile)) throw new TypeError('restore() takes records of files: id, path, name and size.');
    const knownIds = new Set(this.records.map(({ id }) => id));
    const missing = files.filter(({ id }) => !knownIds.has(id) && knownIds.add(id));
    if (missing.length === 0) return;
    this.configuredQueue().restore(missing);
    this.syncValue();
  }

  /** Starts the upload of a `manual` element. */
  upload(): void {
    this.configuredQueue().start();
  }

  /** Retries failed files, and files that wait for a later attempt: one, or all of them. */
  retry(id?: string): void {
    this.queue?.retry(id);
  }

  /** Aborts and removes one file, or all files that are not stored. Stored files stay stored. */
  cancel(id?: string): void {
    if (id === undefined) this.#intake.abort();
    this.#changeQueue((queue) => queue.cancel(id));
  }

  /** Stops sending until `resume()`. */
  pause(): void {
    this.queue?.pause();
  }

  /** Continues after `pause()`. */
  resume(): void {
    this.queue?.resume();
  }

  /** Removes all files from the list, and aborts those that are being sent. */
  clear(): void {
    this.#intake.abort();
    this.#changeQueue((queue) => queue.clear());
  }

  /**
   * Moves a file to another position of the list.
   *
   * @param to position from 0; a position outside the list means its nearest end
   */
  move(id: string, to: number): void {
    const item = this.queue?.get(id);
    if (item === undefined) return;
    const last = this.uploads.length - 1;
    const position = Math.max(0, Math.min(Math.trunc(to) || 0, last));
    const hasFocus = this.shadowRoot?.activeElement?.getAttribute('part') === 'move-button';
    this.#changeQueue((queue) => queue.move(id, position));
    this.announcer.announce((announcer) => announcer.fileMoved(displayName(item), position + 1, last + 1));
    this.requestUpdate();
    if (hasFocus) void this.focusRow(position, 'move-button');
  }

  #dropOptions(place: 'element' | 'target'): DropOptions {
    return {
      accepts: () => this.canAddFiles,
      onDragging: (isOver) => {
        if (isOver) this.#draggedOver.add(place);
        else this.#draggedOver.delete(place);
        this.dragging = this.#draggedOver.size > 0;
      },
      onDrop: (transfer) => {
        const { files, folders } = readDataTransfer(transfer);
        void this.#intake.take(files, folders);
      },
      onPaste: (files) => void this.#intake.take(fromFileList(files)),
    };
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    if ((this.dropTarget || this.pasteTarget) !== '') this.#pageTargets.use();
  }

  protected override firstUpdated(changed: PropertyValues<this>): void {
    super.firstUpdated(changed);
    // The browser handles `autofocus` before the button is rendered.
    const { activeElement, body } = this.ownerDocument;
    if (this.hasAttribute('autofocus') && activeElement === body) this.focus();
  }

  protected override preload(): void {
    super.preload();
    // Later the browser may be offline, or a new version of the site deployed.
    if (this.settings.imageOptions) import('./picking/collect-files.js').catch(() => {});
  }

  protected override get busyChoices(): number {
    return this.#intake.busyCount;
  }

  protected override get preparingChoices(): number {
    return this.#intake.preparingCount;
  }

  protected override retryPreparation(chosen: readonly Chosen[]): void {
    this.#intake.takeAgain(chosen);
  }

  protected override reset(): void {
    this.#intake.abort();
    super.reset();
  }

  protected override readonly onPickClick = (event: Event): void => {
    const path = event.composedPath();
    const clicked = path.slice(0, path.indexOf(event.currentTarget!)) as Element[];
    // A link in a slot belongs to the page.
    if (!this.canAddFiles || clicked.some((element) => element.matches?.(INTERACTIVE))) return;
    this.#chooseFiles();
    // In Firefox a label around the element would click it again.
    event.preventDefault();
  };

  protected override readonly onDefaultSlotChange = (event: Event): void => {
    const input = (event.target as HTMLSlotElement)
      .assignedElements()
      .flatMap((element) => [element, ...element.querySelectorAll('*')])
      .find((element) => element instanceof HTMLInputElement && element.type === 'file' && !element.hidden);
    if (input) void this.addFiles(adoptInput(this, input as HTMLInputElement));
  };

  protected override readonly onPicked = (): void => {
    const input = this.pickerInput;
    if (!input?.files) return;
    void this.#intake.take(fromFileList(input.files));
    // Otherwise choosing the same file again would fire no event.
    input.value = '';
  };

  /** A click on a `<label>` of the page, and `click()`, have the element itself as target. */
  readonly #onHostClick = (event: Event): void => {
    if (event.composedPath()[0] === this && this.canAddFiles) this.#chooseFiles();
  };

  #chooseFiles(): void {
    if (!this.sourceMenu?.activate()) this.pickFromDevice();
  }

  /** @internal */
  override pickFromDevice(): void {
    this.pickerInput?.click();
  }

  protected override removeFailed(): void {
    this.#changeQueue((queue) => queue.removeFailed());
  }

  protected override dismiss(): void {
    this.#changeQueue((queue) => queue.dismiss());
  }

  /** @internal */
  override valuesChanged(): void {
    this.syncValue();
    emitChange(this);
    this.uploadsFinished();
  }

  protected override removeFile(id: string, text: 'fileRemoved' | 'fileDeleted' = 'fileRemoved'): void {
    const item = this.queue?.get(id);
    if (item === undefined) return;
    const index = this.listedItems.indexOf(item);
    this.announcer.announce((announcer) => announcer.fileRemoved(displayName(item), text));
    this.cancel(id);
    void this.#focusAfterRemoval(index);
  }

  /** Focuses the row that took the place of a removed one, else the button that opens the picker. */
  async #focusAfterRemoval(index: number): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    const last = this.listedItems.length - 1;
    if (Math.min(index, last) < 0) this.pickButton?.focus();
    else await this.focusRow(Math.min(index, last));
  }

  #changeQueue(change: (queue: UploadQueue) => void): void {
    if (this.queue === undefined || this.queue.size === 0) return;
    change(this.queue);
    this.valuesChanged();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'svc-uploader': SvcUploader;
  }
}
