// Long because it renders the element and loads every part of the view.
import { html, nothing } from 'lit';
import type { CSSResult, PropertyValues, TemplateResult } from 'lit';
import { hasInterruptedUploads } from '../queue/has-interrupted-uploads.js';
import { loadChunk } from '../queue/load-chunk.js';
import type { QueueOptions, UploadItem } from '../queue/types.js';
import { beforePaint } from './before-paint.js';
import { renderPickerInput } from './picking/picker-input.js';
import { adoptStyles } from './styles/adopt-styles.js';
import { styles } from './styles/index.js';
import { UploaderBase } from './uploader-base.js';
import { describeLimits } from './view/describe-limits.js';
import { renderDropzone } from './view/dropzone.js';
import type { DropzoneContext } from './view/dropzone.js';
import { FocusKeeper } from './view/focus-keeper.js';
import { LazyPart } from './view/lazy-part.js';
import { renderMessageLine } from './view/message-line.js';
import type { RowContext } from './view/row.js';

const loadPageColors = () => loadChunk('PageColors', () => import('./colors/page-colors.js'));
const loadFileArea = () => loadChunk('FileArea', () => import('./view/file-area.js'));
const loadInterruptedList = () => loadChunk('InterruptedList', () => import('./view/interrupted-list.js'));
const loadReorderController = () => loadChunk('ReorderController', () => import('./view/reorder-controller.js'));

/** Renders the element, and loads the parts of the view that only chosen files need. */
export abstract class UploaderView extends UploaderBase {
  static override styles = styles;

  /** Without this code, the colors of the style sheet suit most pages. */
  readonly #pageColors = new LazyPart(
    async () => new (await loadPageColors())(this),
    () => {},
  );
  readonly #fileArea = new LazyPart(
    async () => new (await loadFileArea())(this),
    () => this.onPartChange(),
  );
  readonly #reorder = new LazyPart(
    async () => new (await loadReorderController())(this),
    () => this.onPartChange(),
  );
  readonly #interrupted = new LazyPart(
    async () => new (await loadInterruptedList())(this),
    () => this.onPartChange(),
  );
  readonly #hasInterrupted = hasInterruptedUploads();
  #addedStyles: CSSResult[] = [];
  /** The browser shows the error in a message of its own at the button. */
  #hasBrowserMessage = false;
  /** The hint was known before the first file was chosen. */
  #hadHintWhenEmpty = false;
  /** @internal */
  listedItems: readonly UploadItem[] = [];

  constructor() {
    super();
    this.addController(new FocusKeeper(this));
    this.addEventListener('focusout', () => this.#setBrowserMessage(false));
  }

  /** Number of choices whose folders are being read or whose images are being prepared. */
  protected abstract get preparingChoices(): number;
  protected abstract readonly onPickClick: (event: Event) => void;
  /** Files were chosen with the picker. */
  protected abstract readonly onPicked: () => void;
  /** The children of the element changed. */
  protected abstract readonly onDefaultSlotChange: (event: Event) => void;
  protected abstract removeFile(id: string, text?: 'fileRemoved' | 'fileDeleted'): void;
  /** @internal */
  abstract valuesChanged(): void;
  abstract retry(id?: string): void;
  abstract cancel(id?: string): void;
  abstract clear(): void;
  protected abstract removeFailed(): void;
  protected abstract dismiss(): void;
  abstract move(id: string, to: number): void;

  /** @internal */
  get queueOptions(): QueueOptions {
    return this.configuredQueue().context.options;
  }

  protected get pickerInput(): HTMLInputElement | null {
    return this.renderRoot?.querySelector('input') ?? null;
  }

  /** @internal Renders before it returns. */
  renderNow(): void {
    this.requestUpdate();
    this.performUpdate();
  }

  adoptedCallback(): void {
    this.#adoptStyles();
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    if (this.ownerDocument === document) return super.createRenderRoot();
    const root = this.shadowRoot ?? this.attachShadow(UploaderView.shadowRootOptions);
    this.#adoptStyles();
    return root;
  }

  /** @internal Sets styles of a dialog that may open before there is a file. */
  addStyles(...added: CSSResult[]): void {
    this.#addedStyles = added;
    this.#adoptStyles();
  }

  #adoptStyles(): void {
    const parts = [this.#fileArea, this.#reorder, this.#interrupted, this.fileFields].map(({ loaded }) => loaded);
    const partStyles = [...parts, this.sourceMenu].flatMap((part) => part?.styles ?? []);
    if (this.shadowRoot) adoptStyles(this.shadowRoot, [...styles, ...this.#addedStyles, ...partStyles]);
  }

  protected override render(): TemplateResult {
    const { localizer } = this;
    const items = this.queue?.items ?? [];
    const single = this.#findSingle(items);
    this.listedItems = single === undefined ? items : items.filter((item) => item !== single);
    const row: RowContext = {
      localizer,
      errorTexts: this.errorTexts,
      now: Date.now(),
      readOnly: this.readOnly || this.isDisabled,
      deletesFiles: this.settings.deletesFiles,
      renderMoveButton: this.#moveButtonRenderer(items),
      fields: this.hasFields ? this.fileFields.loaded : undefined,
      onRetry: (id) => this.retry(id),
      onRemove: (id, text) => this.removeFile(id, text),
    };
    return html`<div
      class="root ${this.dragging ? 'dragging' : ''}"
      lang=${localizer.locale}
      dir=${localizer.direction}
      @slotchange=${() => this.requestUpdate()}
    >
      <div
        part="label"
        class="label"
        ?hidden=${this.label === '' && this.slottedElement('label') === null}
        @click=${this.onPickClick}
      >
        <slot name="label">${this.label}</slot>
      </div>
      ${this.readOnly && items.length > 0 && !this.#isAvatar ? nothing : this.#renderDropzone(items, single, row)}
      ${renderPickerInput(this, this.limits, this.acceptsMultiple, this.onPicked)}
      ${single && row.fields?.render(single, row.readOnly, false)} ${this.#renderFileArea(row)}
      ${this.#hasInterrupted && !row.readOnly ? this.#interrupted.use()?.render(items) : nothing}
      ${this.#renderMessage(items.length > 0)} ${this.sourceMenu?.render()}
      <div class="hidden" role="status">${this.announcement}</div>
      <slot hidden @slotchange=${this.onDefaultSlotChange}></slot>
    </div>`;
  }

  /** Returns the file that is shown beside the button, or as avatar. The list then contains only refused files. */
  #findSingle(items: readonly UploadItem[]): UploadItem | undefined {
    const accepted = items.find(({ state }) => state.status !== 'rejected');
    if (this.#isAvatar) return accepted;
    return this.settings.appearance === 'inline' && !this.acceptsMultiple && !this.readOnly ? (accepted ?? items[0]) : undefined;
  }

  #renderDropzone(items: readonly UploadItem[], single: UploadItem | undefined, row: RowContext): TemplateResult {
    const { localizer, startsManually: manual, dragging } = this;
    const hint = this.hint || describeLimits(this.limits, localizer, this.acceptsMultiple);
    if (items.length === 0) this.#hadHintWhenEmpty = hint !== '';
    const dropzone: DropzoneContext = {
      localizer,
      // Until the code of the avatar is loaded, there is only its button.
      appearance: this.#isAvatar ? 'button' : this.settings.appearance,
      dragging,
      disabled: row.readOnly,
      isFull: this.isFull,
      // A single field has a limit of one file too.
      multiple: this.limits.maxFiles !== 1,
      folder: this.webkitdirectory,
      name: this.accessibleName,
      hint,
      isLateHint: !this.#hadHintWhenEmpty && this.hint === '',
      hasHintSlot: this.slottedElement('hint') !== null,
      singleFile:
        single && !this.#isAvatar
          ? this.#fileArea.use()?.renderSingleFile({ item: single, queue: this.configuredQueue(), manual, dragging, row })
          : undefined,
      count: this.totals.files,
      sources: this.sourceMenu?.button,
      onPick: this.onPickClick,
    };
    const { shape } = this.settings;
    const avatar =
      this.#isAvatar &&
      this.#fileArea.loaded?.renderAvatar({
        item: single,
        queue: this.configuredQueue(),
        manual,
        shape,
        readOnly: this.readOnly,
        dropzone,
        row,
      });
    return avatar || renderDropzone(dropzone);
  }

  get #isAvatar(): boolean {
    return this.settings.appearance === 'avatar';
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    this.#pageColors.use();
    // An avatar looks the same without a picture, so its code is not loaded with the first file.
    if (this.#isAvatar) this.#fileArea.use();
  }

  #renderFileArea(row: RowContext): TemplateResult | typeof nothing {
    if (this.listedItems.length === 0) return nothing;
    const fileArea = this.#fileArea.use();
    if (fileArea === undefined) return nothing;
    return fileArea.render({
      queue: this.configuredQueue(),
      appearance: this.settings.appearance,
      items: this.listedItems,
      manual: this.startsManually,
      row,
      onCancel: () => this.cancel(),
      onClear: () => this.clear(),
      onRemoveFailed: () => this.removeFailed(),
      onDismiss: () => this.dismiss(),
    });
  }

  /** The browser focuses the first invalid control after the event, and shows its message there. */
  protected override onErrorReported(): void {
    const fields = this.hasFields ? this.fileFields.loaded : undefined;
    fields?.showErrors();
    beforePaint(this, () => {
      const hasFocus = this.pickButton?.matches(':focus') ?? false;
      this.#setBrowserMessage(hasFocus);
      if (hasFocus) fields?.unfilledField?.focus();
    });
  }

  /** While the browser shows its message, that of the element only keeps its place, so that the person reads the error once. */
  #setBrowserMessage(isShown: boolean): void {
    if (isShown === this.#hasBrowserMessage) return;
    this.#hasBrowserMessage = isShown;
    this.requestUpdate();
  }

  #renderMessage(hasFiles: boolean): TemplateResult | typeof nothing {
    const { localizer } = this;
    const reserved = this.submitWaits && hasFiles ? localizer.text('submitPending') : '';
    if (this.isSubmitPending) return renderMessageLine(localizer.text('submitPending'), false, reserved);
    if (this.isSubmitCanceled) return renderMessageLine(localizer.text('submitCanceled'), true, reserved);
    const problem = this.reportedProblem;
    if (problem !== '') return renderMessageLine(problem, true, reserved, this.#hasBrowserMessage);
    const fileArea = this.#fileArea.loaded;
    if (hasFiles && (this.#fileArea.hasFailed || fileArea?.hasFailed || this.fileFields.hasFailed))
      return renderMessageLine(localizer.text('scriptNotLoaded'), true, reserved);
    const isPreparing = this.preparingChoices > 0 || (hasFiles && (fileArea === undefined || fileArea.loading !== undefined));
    return renderMessageLine(isPreparing ? localizer.text('preparing') : '', false, reserved);
  }

  /** Returns the function that renders move buttons; null if files cannot be moved now. */
  #moveButtonRenderer(items: readonly UploadItem[]): RowContext['renderMoveButton'] {
    if (!this.reorderable || !this.acceptsMultiple || items.length < 2 || this.readOnly || this.isDisabled) return null;
    const reorder = this.#reorder.use();
    return reorder ? (item, tabbable) => reorder.renderMoveButton(item, tabbable) : null;
  }

  /** @internal Does nothing while the rows are not loaded. */
  override async focusRow(index: number, part?: string): Promise<void> {
    await this.#fileArea.loaded?.focusRow(index, part);
  }

  /** Lets parts load again that could not be loaded. */
  protected forgetFailedParts(): void {
    this.#fileArea.forgetFailure();
    this.#fileArea.loaded?.forgetFailure();
    this.#reorder.forgetFailure();
    this.#interrupted.forgetFailure();
    this.fileFields.forgetFailure();
  }

  protected override preload(): void {
    super.preload();
    // If that fails, the first file loads it.
    loadFileArea()
      .then((FileArea) => FileArea.preload(this.settings.appearance))
      .catch(() => {});
  }

  /** @internal The styles of a part are there before it is rendered for the first time. */
  override onPartChange(): void {
    this.#adoptStyles();
    // An element outside the page is rendered when it is connected again.
    if (this.isConnected) this.requestUpdate();
  }

  /** Waits for the code that renders the files, so that `updateComplete` resolves when they are shown. */
  protected override async getUpdateComplete(): Promise<boolean> {
    const isComplete = await super.getUpdateComplete();
    const loading = [this.#fileArea, this.#fileArea.loaded, this.fileFields, this.sourcePart].flatMap(
      (part) => part?.loading ?? [],
    );
    if (loading.length === 0) return isComplete;
    await Promise.all(loading);
    // A part may have loaded another one.
    return this.getUpdateComplete();
  }
}
