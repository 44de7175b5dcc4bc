import { html, nothing } from 'lit';
import type { PropertyValues, TemplateResult } from 'lit';
import { query, state } from 'lit/decorators.js';
import { createUploadQueue } from '../engine/queue.js';
import type { Limits, Totals, UploadItem, UploadQueue } from '../engine/types.js';
import type { FormStatus, InvalidReason } from '../form/validity.js';
import type { FileRecord } from '../protocol/types.js';
import { Announcer } from './announcer.js';
import { UploaderAttributes } from './attributes.js';
import { emit, emitChange } from './events.js';
import { Frame } from './frame.js';
import { builtIn, loadWords, localeOf } from './locale/load.js';
import type { Words } from './locale/words.js';
import { DropController } from './picking/drop.js';
import { fromTransfer } from './picking/entries.js';
import { fromList } from './picking/picked.js';
import type { Picked } from './picking/picked.js';
import { inSlices } from './picking/slices.js';
import { relay } from './relay.js';
import { ProblemLog, describe } from './settings/problems.js';
import { readSettings } from './settings/read.js';
import type { Settings } from './settings/read.js';
import { applyStates, statesOf } from './states.js';
import { styles } from './styles/index.js';
import { tokenSupply } from './token-supply.js';
import { dropzone } from './view/dropzone.js';
import { hintOf } from './view/hint.js';
import { ListView } from './view/list.js';
import { summary } from './view/summary.js';

const NOTHING: Totals = {
  files: 0,
  queued: 0,
  active: 0,
  done: 0,
  failed: 0,
  rejected: 0,
  bytes: 0,
  sent: 0,
  speed: null,
  secondsLeft: null,
};

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
 * @csspart file-selector-button - The button that opens the picker.
 * @csspart hint - What may be chosen.
 * @csspart summary - The row about all files.
 * @csspart list - The list of files.
 * @csspart file - One file's row.
 * @csspart thumbnail - The picture or ending at its start.
 * @csspart name - The file's name.
 * @csspart size - How large it is.
 * @csspart status - How far it is, in words.
 * @csspart error - What is wrong with it, in words.
 * @csspart progress - The line of progress.
 * @csspart retry-button - Tries a failed file again.
 * @csspart remove-button - Cancels or removes a file.
 *
 * @cssstate dragging - Files are dragged over the element.
 * @cssstate uploading - Something is on its way.
 * @cssstate paused - The person paused.
 * @cssstate complete - Everything is uploaded.
 * @cssstate error - A file failed or was refused.
 * @cssstate offline - There is no connection.
 * @cssstate empty - No file is there.
 * @cssstate max-files - As many files as may be are there.
 */
export class SvcUploader extends UploaderAttributes {
  static override styles = styles;

  readonly announcer = new Announcer(
    (text) => (this.announcement = text),
    () => this.words,
  );
  words: Words = builtIn;

  @state() private announcement = '';
  @state() private dragging = false;
  @query('.pick') private readonly pickButton!: HTMLButtonElement | null;
  @query('input') private readonly input!: HTMLInputElement | null;

  #queue: UploadQueue | undefined;
  #settings: Settings = readSettings(this);
  readonly #log = new ProblemLog();
  readonly #frame = new Frame(() => this.requestUpdate());
  readonly #list = new ListView(this);
  readonly #tooMany = new Set<string>();
  #leaving = new AbortController();

  constructor() {
    super();
    const drop = new DropController({
      accepts: () => this.#open,
      onDragging: (dragging) => (this.dragging = dragging),
      onDrop: (transfer) => void this.#dropped(transfer),
      onPaste: (files) => void this.#take(fromList(files)),
    });
    drop.listen(this);
    this.addEventListener('click', this.#labelClicked);
  }

  /** The chosen files, without those that were refused. */
  get files(): readonly File[] {
    return this.uploads.filter(({ state }) => state.status !== 'rejected').flatMap(({ file }) => file ?? []);
  }

  /** Every file in the list with its state, in the order of choosing. */
  get uploads(): readonly UploadItem[] {
    return [...(this.#queue?.items ?? [])];
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
    if (this.#open) this.input?.showPicker();
  }

  /** Adds files as if they had been chosen. Resolves when all of a large number are judged; the first are at once. */
  addFiles(files: Iterable<File>): Promise<void> {
    return this.#take(fromList(files));
  }

  /** Begins the upload of a `manual` element. */
  upload(): void {
    this.#ready.start();
  }

  /** Tries failed files again: one, or all of them. */
  retry(id?: string): void {
    this.#queue?.retry(id);
  }

  /** Aborts and removes one file, or all that are not uploaded. What is stored stays stored. */
  cancel(id?: string): void {
    this.#change((queue) => queue.cancel(id));
  }

  /** Stops sending until `resume()`. */
  pause(): void {
    this.#queue?.pause();
  }

  /** Goes on after `pause()`. */
  resume(): void {
    this.#queue?.resume();
  }

  /** Removes all files, aborting those on their way. */
  clear(): void {
    this.#change((queue) => queue.clear());
  }

  /** @internal */
  redraw(): void {
    this.#frame.ask();
  }

  /** @internal */
  recount(): void {
    this.syncValidity();
    this.#showStates();
  }

  /** @internal */
  stored(record: FileRecord): void {
    this.appendValue(record, this.#totals.done);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leaving = new AbortController();
    this.#readLocale();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leaving.abort();
    this.#frame.cancel();
    this.announcer.stop();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('locale')) this.#readLocale();
    this.#configure();
    this.#showStates();
  }

  protected override updated(): void {
    this.syncValidity();
  }

  protected override render(): TemplateResult {
    const { words } = this;
    const items = this.#queue?.items ?? [];
    const many = this.multiple || this.webkitdirectory;
    const label = this.label || Array.from(this.labels, (one) => one.textContent?.trim()).join(' ');
    return html`<div class="root ${this.dragging ? 'dragging' : ''}" lang=${words.locale} dir=${words.direction}>
      <div part="label" class="label" ?hidden=${this.label === ''} @click=${this.#pick}>
        <slot name="label">${this.label}</slot>
      </div>
      ${dropzone({
        words,
        appearance: this.#settings.appearance,
        dragging: this.dragging,
        disabled: this.isDisabled || this.readOnly,
        full: many && this.#isFull,
        multiple: many,
        folder: this.webkitdirectory,
        name: label,
        hint: this.hint || hintOf(this.#limits, words),
        chosen: items,
        onPick: this.#pick,
      })}
      <input
        type="file"
        hidden
        tabindex="-1"
        aria-hidden="true"
        accept=${this.accept || nothing}
        capture=${this.capture || nothing}
        ?multiple=${many}
        ?webkitdirectory=${this.webkitdirectory}
        @change=${this.#picked}
        @input=${(event: Event) => event.stopPropagation()}
        @cancel=${() => this.dispatchEvent(new Event('cancel', { bubbles: true }))}
      />
      ${items.length === 0 ? nothing : this.#files(items)}
      <div class="hidden" role="status">${this.announcement}</div>
      <slot hidden></slot>
    </div>`;
  }

  #files(items: readonly UploadItem[]): TemplateResult {
    const { words } = this;
    const queue = this.#ready;
    const readOnly = this.readOnly || this.isDisabled;
    return html`<div class="files">
      ${
        items.length > 1 || this.manual
          ? summary({
              words,
              totals: queue.totals,
              paused: queue.paused,
              online: queue.online,
              manual: this.manual,
              readOnly,
              onStart: () => this.upload(),
              onPause: () => this.pause(),
              onResume: () => this.resume(),
              onCancel: () => this.cancel(),
              onRetry: () => this.retry(),
              onClear: () => this.clear(),
            })
          : nothing
      }
      ${this.#list.render(items, words.say('list'), {
        words,
        now: Date.now(),
        readOnly,
        onRetry: (id) => this.retry(id),
        onRemove: (id) => this.#remove(id),
      })}
    </div>`;
  }

  get #totals(): Readonly<Totals> {
    return this.#queue?.totals ?? NOTHING;
  }

  get #limits(): Limits {
    return this.#learned ?? this.#settings.limits;
  }
  #learned: Limits | undefined;

  get #isFull(): boolean {
    const { maxFiles } = this.#limits;
    return maxFiles !== null && this.#totals.files >= maxFiles;
  }

  /** Whether files may be chosen now. */
  get #open(): boolean {
    return !this.isDisabled && !this.readOnly && !((this.multiple || this.webkitdirectory) && this.#isFull);
  }

  /** The queue, made when it is first needed: never in Node. */
  get #ready(): UploadQueue {
    if (this.#queue === undefined) {
      this.#queue = createUploadQueue({ tokenProvider: tokenSupply(() => this) });
      relay(this, this.#queue);
      this.#queue.on('add', ({ item }) => {
        if (item.state.status === 'rejected' && item.state.rejection.code === 'TOO_MANY_FILES') this.#tooMany.add(item.id);
      });
      this.#queue.on('remove', ({ item }) => this.#tooMany.delete(item.id));
      this.#queue.on('status', ({ limits }) => (this.#learned = limits));
    }
    this.#configure();
    return this.#queue;
  }

  #configure(): void {
    this.#settings = readSettings(this);
    this.#log.report(this.#settings.problems);
    const { limits, concurrency } = this.#settings;
    this.#queue?.configure({ endpoint: this.endpoint, limits, concurrency, manual: this.manual });
  }

  async #take(picked: readonly Picked[]): Promise<void> {
    const queue = this.#ready;
    const single = !this.multiple && !this.webkitdirectory;
    // A new choice replaces a single file, as in a native input, and takes away what was refused the last time.
    const outdated = single
      ? this.uploads
      : this.#totals.rejected > 0
        ? this.uploads.filter((one) => one.state.status === 'rejected')
        : [];
    if (picked.length > 0) for (const { id } of outdated) queue.cancel(id);
    if (outdated.length > 0) this.syncValue();
    await inSlices(
      picked,
      (some) => queue.add(some.filter(({ file, relativePath }) => emit(this, 'svc-file-add', { file, relativePath }))),
      this.#leaving.signal,
    );
    if (picked.length > 0) emitChange(this);
  }

  async #dropped(transfer: DataTransfer): Promise<void> {
    const { files, folders } = fromTransfer(transfer, this.#leaving.signal);
    const taken = files.length > 0 ? this.#take(files) : undefined;
    const found: Picked[] = [];
    for await (const file of folders) found.push(file);
    await taken;
    if (found.length > 0) await this.#take(found);
  }

  readonly #pick = (event: Event): void => {
    event.stopPropagation();
    if (this.#open) this.input?.click();
  };

  readonly #picked = (): void => {
    const { input } = this;
    if (!input?.files) return;
    void this.#take(fromList(input.files));
    // So that the same file can be chosen again.
    input.value = '';
  };

  /** A `<label>` of the page was clicked, or `click()` called: both reach the element itself. */
  readonly #labelClicked = (event: Event): void => {
    if (event.composedPath()[0] === this && this.#open) this.input?.click();
  };

  #remove(id: string): void {
    const item = this.#queue?.get(id);
    if (item === undefined) return;
    const index = this.uploads.indexOf(item);
    this.announcer.removed(item.name);
    this.cancel(id);
    void this.#focusNear(index);
  }

  /** After a removal the focus goes to the next row, else to the button that picks. */
  async #focusNear(index: number): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    const item = this.uploads[Math.min(index, this.uploads.length - 1)];
    const next = item && this.renderRoot.querySelector<HTMLElement>(`[data-id="${item.id}"] [part~="remove-button"]`);
    (next ?? this.pickButton)?.focus();
  }

  #change(act: (queue: UploadQueue) => void): void {
    if (this.#queue === undefined || this.#queue.size === 0) return;
    act(this.#queue);
    this.syncValue();
    emitChange(this);
  }

  #showStates(): void {
    const { paused = false, online = true } = this.#queue ?? {};
    const facts = { dragging: this.dragging, totals: this.#totals, paused, online, maxFiles: this.#limits.maxFiles };
    applyStates(this.internals.states, statesOf(facts));
  }

  #readLocale(): void {
    const locale = localeOf(this, this.locale);
    const use = (words: Words) => {
      this.words = words;
      this.requestUpdate();
    };
    const words = loadWords(locale);
    if (words instanceof Promise) words.then(use, () => use(builtIn));
    else if (words !== this.words) use(words);
  }

  protected override get records(): FileRecord[] {
    return this.uploads.flatMap(({ state }) => (state.status === 'done' ? state.file : []));
  }

  protected override get formStatus(): Omit<FormStatus, 'required' | 'custom'> {
    const { done, queued, active, failed, rejected } = this.#totals;
    return {
      done,
      busy: queued + active,
      failed: failed + rejected - this.#tooMany.size,
      tooMany: this.#tooMany.size > 0,
      problem: this.#settings.problems.map(describe).join(' '),
    };
  }

  protected override wordsFor(reason: Exclude<InvalidReason, 'custom'>): string {
    if (reason === 'problem') return this.formStatus.problem;
    if (reason === 'busy' && this.manual && this.#totals.active === 0) return this.words.say('notStarted');
    return this.words.say(reason);
  }

  protected override get validityAnchor(): HTMLElement | undefined {
    return this.pickButton ?? undefined;
  }

  protected override restore(records: FileRecord[]): void {
    this.#ready.restore(records);
    this.syncValue();
  }

  protected override reset(): void {
    this.#queue?.clear();
    this.syncValue();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'svc-uploader': SvcUploader;
  }
}
